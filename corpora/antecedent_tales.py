"""Tales of two nouns, as a table for antecedents.py: what happens, and what may follow that is true of one of them.

A tale has its subject (A, or S for a person), the row of its first clause, its nouns A and B, and the turns of each:
"joint: row" (antecedent_words.py says how a row is written), where *it* is that noun, as subject or as I. Behind the
joint stands how the row is told, if not in the tense of the tale: doing, had, could, done, wanted, must; *not*; *any*,
if not only the person of the first clause may do it.

    1  Nouns    that no other table has
    2  Persons  who is told of besides; articles; tenses
    3  Tales    what happens, and the turns of both nouns
"""

from __future__ import annotations

# fmt: off
# ─── 1 Nouns ─────────────────────────────────────────────────────────────────────────────────────────────────────────
NOUNS = {
    "told kitchen": """
        bread knife = das Brotmesser; saucepan = der Kochtopf; pie = die Pastete; lasagne = die Lasagne; stove =
        der Herd; butter = die Butter; yoghurt = der Joghurt; freezer = die Tiefkühltruhe; cellar = der Keller;
        pantry = die Speisekammer; tablecloth = das Tischtuch; chocolate cream = die Schokocreme; toast = der
        Toast; cool box = die Kühlbox; tub = der Bottich; basin = das Waschbecken; bath = die Badewanne; sink =
        die Spüle; besom = der Reisigbesen; plum = die Pflaume; board = die Tafel; can = die Büchse; foil = die
        Folie; sugar = der Zucker""",
    "told home": """
        pavement = der Gehweg; terrace = die Terrasse; yard = der Hof; balcony = der Balkon; campfire = das
        Lagerfeuer; padlock = das Vorhängeschloss; shed = der Schuppen; post = der Pfosten; paint roller = die
        Farbrolle; glue = der Klebstoff; pocket = die Tasche; ribbon = das Band; collar = der Kragen; patch =
        der Flicken; trouser leg = das Hosenbein; sleeve = der Ärmel; sewing machine = die Nähmaschine;
        fireplace = der Kamin; boot = der Stiefel; bathroom = das Badezimmer; attic = der Dachboden; flower pot
        = der Blumentopf; lamp post = der Laternenpfahl; hose = der Schlauch; lawn = der Rasen; spotlight = der
        Scheinwerfer; light = das Licht; pram = der Kinderwagen; crib = das Gitterbett; baby = das Baby""",
    "told animals": """
        wasp = die Wespe; mosquito = die Mücke; scorpion = der Skorpion; duckling = das Entlein; swan = der
        Schwan; crow = die Krähe; dove = die Taube; baby elephant = das Elefantenkalb; vet's surgery = die
        Tierarztpraxis; animal hospital = die Tierklinik; animal shelter = das Tierheim; zoo = der Zoo; circus =
        der Zirkus; church tower = der Kirchturm; collar = das Halsband; courtyard = der Innenhof; bird table =
        das Vogelhaus""",
    "told town": """
        garage = die Garage; car park = der Parkplatz; side street = die Seitenstraße; bank = die Bank; railway
        crossing = der Bahnübergang; market = der Markt; town = die Stadt; capital = die Hauptstadt; region =
        das Gebiet; drone = die Drohne; waterfall = der Wasserfall; sunset = der Sonnenuntergang; comet = der
        Komet Kometen; map = die Landkarte; beach = der Strand; card = die Karte; border = die Grenze; track =
        die Spur; lighthouse = der Leuchtturm; volcano = der Vulkan; island = die Insel; plane = das Flugzeug;
        railway track = das Gleis; village = das Dorf""",
    "told work": """
        number = die Zahl; address = die Adresse; exam paper = die Prüfungsarbeit; riddle = das Rätsel; sum =
        die Rechenaufgabe; puzzle = das Puzzle; formula = die Formel; trick = der Trick; face = das Gesicht;
        heart = das Herz; disk = die Festplatte; memory stick = der USB-Stick; drive = das Laufwerk; invitation
        = die Einladung; device = das Gerät; folder = der Ordner; file = die Akte; canteen = die Kantine; pipe =
        das Rohr; beam = der Balken; shovel = die Schaufel; spade = der Spaten; grave = das Grab; engine = der
        Motor; rubbish = der Müll""",
    "told sport": """
        football = der Fußball; racket = der Schläger; cup = der Pokal; prize = der Preis; race = das Rennen;
        lottery = die Lotterie; tournament = das Turnier; snowman = der Schneemann; sand = der Sand; clay = der
        Ton; elbow = der Ellbogen; swing = die Schaukel; lantern = die Laterne; feeder = das Futterhaus; toy
        plane = das Spielzeugflugzeug; toy ship = das Spielzeugschiff; tune = die Melodie; xylophone = das
        Xylofon; gong = der Gong; mallet = der Schlägel; clarinet = die Klarinette; case = der Koffer""",
    "told post": """
        tube = die Rolle; label = das Etikett; package = das Päckchen; post office = die Post; neighbour's house
        = das Nachbarhaus; letter box = der Briefkasten; bin = der Mülleimer; dustbin = die Mülltonne; drain =
        der Abfluss; toilet = das Klo; market hall = die Markthalle; department store = das Kaufhaus; banknote =
        der Geldschein; cheque = der Scheck; voucher = der Gutschein; lightning = der Blitz; leaf = das Blatt;
        mushroom = der Pilz; sun = die Sonne; moon = der Mond; snow = der Schnee; brooch = die Brosche""",
}

# ─── 2 Persons ───────────────────────────────────────────────────────────────────────────────────────────────────────
WHO = """
    the boy = der Junge 3 he er his sein; the man = der Mann 3 he er his sein; the woman = die Frau 3 she sie her ihr;
    Lisa = Lisa 3 she sie her ihr; Paul = Paul 3 he er his sein; Emma = Emma 3 she sie her ihr; my grandmother = meine
    Großmutter 3 she sie her ihr; my grandfather = mein Großvater 3 he er his sein; my sister = meine Schwester 3 she
    sie her ihr; our cousin = unser Vetter 3 he er his sein; the student = der Student 3 he er his sein; the girls = die
    Mädchen 6 they sie their ihr; our friends = unsere Freunde 6 they sie their ihr
"""
ONLY = """
    sun, moon, sea, floor, border, sunset, rubbish, snow, light, lightning, nose, finger, head, hand, knee, foot, elbow
"""  # always *the*
KNOWN = """
    kitchen, cellar, attic, bathroom, hall, bath, nose, head, water, butter, yoghurt, chocolate cream, sand, clay,
    cardboard, sugar, glue, toast, soup, sauce, pudding, wire, fridge, freezer, pantry, stove, washing machine,
    capital, knee, finger, hand, elbow, foot, post office, sky, lightning, rubbish, straw, wood, paper
"""  # never *a*
IN_PAST = """
    müssen können dürfen sollen scheinen heißen stehen liegen hängen2 sitzen aus|sehen riechen schmecken wiegen kosten
    stecken fehlen wackeln
"""  # whose past is plain in speech too
BAD = "stehlen auf|brechen ab|schleppen"  # what nobody does that has a name
JOINTS = {  # of a turn: its relation in antecedent_words.py, and which joints of it
    "because": ("reason", "because, because first, as, since, since first, for, two sentences, after all, colon"),
    "although": ("contrast", "although, even though, although first"),
    "but": ("contrast", "but, however"),
    "so": ("consequence", "so, that is why, which is why, because of that, and, two sentences"),
    "stop": ("addition", "two sentences, semicolon, and"),
    "and": ("sequence", "two sentences, and, and then, then"),
    "until": ("time", "until"),
    "while": ("time", "while, while it"),
    "when": ("time", "when, when it"),
    "before": ("time", "before, before it"),
    "after": ("time", "after, after it"),
    "soon": ("time", "as soon as"),
    "to": ("purpose", "to, in order to"),
}

# ─── 3 Tales ─────────────────────────────────────────────────────────────────────────────────────────────────────────
# subject, row, nouns A, nouns B, turns of A, turns of B
TALES = [
    ("S", "pour A into B = gießen A4 - in B4",
     "milk, juice, tea, coffee, water, lemonade, cocoa, wine",
     "cup:Tasse, mug, jug, bottle, bowl",
     "until: run out = aus|gehen -; although: be sour = sein sauer; stop: taste wonderful = schmecken wunderbar; "
     "because wanted: drink I = trinken I4 -; but: taste of nothing = schmecken nach nichts; after had: heat I = "
     "erhitzen I4 -",
     "until: be full = sein voll; until: overflow = über|laufen -; although: have a crack = haben einen Sprung; "
     "because: be empty = sein leer; but: leak = lecken -; after had: rinse I = aus|spülen I4 -"),
    ("S", "cut A with B = schneiden A4 - mit B3",
     "bread, cake, meat, cheese, ham, melon, sausage, pizza",
     "knife, saw, dagger, sword, bread knife",
     "because wanted: eat I = essen I4 -; and: eat I = essen I4 -; although: be still warm = sein noch warm; stop: "
     "taste delicious = schmecken köstlich; before: eat I = essen I4 -",
     "because: be very sharp = sein sehr scharf; and: put I back into the drawer = legen I4 - zurück in die "
     "Schublade; although: be blunt = sein stumpf; until: get blunt = werden stumpf; after had: sharpen I = "
     "schärfen I4 -"),
    ("S", "boil A in B = kochen A4 - in B3",
     "egg, potato, soup, rice, cabbage, vegetable",
     "pot, pan, kettle, saucepan",
     "until: be soft = sein weich; because: be still raw = sein noch roh; and: eat I = essen I4 -; before: eat I = "
     "essen I4 -; because wanted: eat I = essen I4 -",
     "because: have a lid = haben einen Deckel; and: put I back into the cupboard = stellen I4 - zurück in den "
     "Schrank; although: be rusty = sein rostig; after had: scrub I = scheuern I4 -; so must: scrub I = scheuern "
     "I4 -"),
    ("S", "put A into B = schieben A4 - in B4",
     "cake, pizza, roast, chicken:Hähnchen, bread, pie, lasagne",
     "oven, microwave, stove",
     "until: be brown = sein braun; because: be still raw = sein noch roh; and: eat I = essen I4 -; so: be soon "
     "done = sein bald gar; but: burn = an|brennen -",
     "because: be already hot = sein schon heiß; and: switch I on = ein|schalten I4 -; but: be switched off = sein "
     "ausgeschaltet; although: be broken = sein kaputt; after had: switch I on = ein|schalten I4 -; soon: be hot "
     "enough = sein heiß genug"),
    ("S", "keep A in B = auf|bewahren A4 - in B3",
     "milk, cheese, butter, ham, meat, salad, yoghurt, sausage",
     "fridge, freezer, cellar, pantry",
     "because: go bad quickly = verderben2 schnell; until: be mouldy = sein schimmelig; until: eat I = essen I4 -; "
     "although: be already mouldy = sein schon schimmelig; so: stay fresh = bleiben frisch",
     "because: be cool inside = sein innen kühl; until: be too full = sein zu voll; although: have no light = "
     "haben kein Licht; stop: be next to the kitchen = sein neben der Küche"),
    ("S", "spill A on B = verschütten A4 - auf B3",
     "milk, coffee, juice, wine, tea, soup, lemonade, sauce",
     "carpet, tablecloth, sofa, blanket, dress, shirt, sheet, couch",
     "because: be too hot to drink = sein zu heiß zum Trinken; before could: drink I = trinken I4 -; stop: leave a "
     "large stain = hinterlassen einen großen Fleck; so could not: drink I = trinken I4 -; after had: heat I = "
     "erhitzen I4 -",
     "so must: wash I = waschen I4 -; and: wash I = waschen I4 -; stop: have a large stain now = haben jetzt einen "
     "großen Fleck; although: be brand new = sein nagelneu; after had: wash I = waschen I4 -"),
    ("S", "spread A on B = streichen A4 - auf B4",
     "butter, jam, honey, cheese, chocolate cream",
     "bread, roll, toast, biscuit, pancake",
     "until: run out = aus|gehen -; because: be nice and soft = sein schön weich; but: drip onto the plate = "
     "tropfen auf den Teller; although: be too sweet = sein zu süß",
     "and: eat I = essen I4 -; because: be too dry = sein zu trocken; but: be burnt = sein angebrannt; after had: "
     "toast I = toasten I4 -; although: be stale = sein altbacken"),
    ("S", "drop A on B = lassen A4 - auf B4 fallen",
     "cup:Tasse, plate, glass, vase, jug, egg, bowl, mirror",
     "floor, carpet, staircase, pavement, terrace",
     "so: break = gehen kaputt; but not: break = gehen - kaputt; because: be too heavy = sein zu schwer; after "
     "had: wash I = waschen I4 -",
     "so must: sweep I = fegen I4 -; but: be soft enough = sein weich genug; stop: be covered with splinters = "
     "sein voller Splitter; and: sweep I = fegen I4 -; after had: sweep I = fegen I4 -"),
    ("S", "eat A with B = essen A4 - mit B3",
     "soup, pudding, porridge, ice cream, salad, cake, rice, yoghurt",
     "spoon, fork",
     "because: be delicious = sein köstlich; although: taste awful = schmecken scheußlich; stop: taste of cherries "
     "= schmecken nach Kirschen; but: be salty = sein salzig",
     "because: lie next to the plate = liegen neben dem Teller; although: be bent = sein verbogen; stop: be made "
     "of silver = sein aus Silber; and: put I into the dishwasher = legen I4 - in die Spülmaschine; after had: "
     "wash I up = ab|waschen I4 -"),
    ("S", "take A out of B = nehmen A4 - aus B3",
     "cheese, milk, butter, juice, cake, ham, ice cream, sausage, salad",
     "fridge, cupboard, bag:Tasche, freezer, cool box",
     "because wanted: taste I = probieren I4 -; and: taste I = probieren I4 -; although: be mouldy = sein "
     "schimmelig; before: go bad = verderben2 -; to: taste I = probieren I4 -; because: smell bad = stinken",
     "and: close I = schließen I4 -; because wanted: clean I = putzen I4 -; so: be empty = sein leer; before: "
     "close I = schließen I4 -; until: be empty = sein leer"),
    ("S", "wash A in B = waschen A4 - in B3",
     "shirt, dress, pullover, sock, towel, blouse, jacket, curtain, skirt",
     "washing machine, bucket, tub, basin, bath:Badewanne, sink",
     "until: be clean = sein sauber; because: be dirty = sein schmutzig; but: shrink = ein|laufen -; so: shrink = "
     "ein|laufen -; and: hang I on the line = hängen I4 - auf die Leine; before: wear I = tragen I4 -",
     "because: be full of soapy water = sein voller Seifenwasser; until: leak = lecken -; but: leak = lecken -; "
     "so: be full of foam = sein voller Schaum; although: have a leak = haben ein Leck"),
    ("S", "wipe A with B = wischen A4 - mit B3",
     "table, floor, shelf, stove, desk, mirror, board:Tafel",
     "cloth, sponge, rag, handkerchief",
     "until: shine = glänzen -; because: be sticky = sein klebrig; so: shine = glänzen -; and: polish I = polieren "
     "I4 -; although: be already spotless = sein schon blitzblank",
     "until: be dirty = sein schmutzig; because: be damp = sein feucht; and: wring I out = aus|wringen I4 -; after "
     "had: wring I out = aus|wringen I4 -; although: be torn = sein zerrissen"),
    ("S", "sweep A with B = fegen A4 - mit B3",
     "kitchen, floor, staircase, yard, terrace, room, balcony, pavement",
     "broom, brush:Bürste, besom",
     "until: be clean = sein sauber; because: be full of leaves = sein voller Blätter; although: be spotless = "
     "sein blitzblank; but: get dirty again at once = werden sofort wieder schmutzig",
     "until: break = zerbrechen2 -; because: have long bristles = haben lange Borsten; and: put I back into the "
     "corner = stellen I4 - zurück in die Ecke; although: have no bristles left = haben keine Borsten mehr"),
    ("S", "hang A on B = hängen A4 - an B4",
     "picture, mirror, calendar, photo, painting, poster",
     "hook, nail, rope",
     "because wanted: look at I every day = an|sehen I4 jeden Tag -; although: be ugly = sein hässlich; because: "
     "be beautiful = sein schön; and: admire I = bewundern I4 -; but: look ugly there = aus|sehen dort hässlich",
     "but: come loose = lockern sich; although: be loose = sein locker; because: be strong enough = sein stark "
     "genug; until: come loose = lockern sich"),
    ("S", "light A with B = an|zünden A4 - mit B3",
     "candle, fire, oven, cigarette, rocket, paper, torch:Fackel, campfire",
     "lighter, match:Streichholz",
     "and: put I out again = löschen I4 wieder; so: burn brightly = brennen hell; although: be damp = sein feucht; "
     "because: go out = aus|gehen -; but: go out at once = aus|gehen sofort",
     "because: be on the table = liegen auf dem Tisch; and: put I back on the table = legen I4 wieder auf den "
     "Tisch; although: be almost used up = sein fast verbraucht; after had: find I in a drawer = finden I4 in "
     "einer Schublade"),
    ("S", "fill A with B = füllen A4 mit B3 -",
     "bottle, bucket, jug, barrel, glass, watering can",
     "water, juice, milk, wine, lemonade, tea",
     "until: overflow = über|laufen -; because: be empty = sein leer; but: have a hole = haben ein Loch; so: be "
     "very heavy = sein sehr schwer; although: have a crack = haben einen Sprung; after had: rinse I = aus|spülen "
     "I4 -",
     "until: run out = aus|gehen -; because: be fresh = sein frisch; but: be dirty = sein trüb; although: cost a "
     "lot of money = kosten viel Geld; but: drip onto the floor = tropfen auf den Boden"),
    ("S", "put A under B = legen A4 - unter B4",
     "letter, newspaper, notebook, diary, list",
     "table, bed, sofa, cupboard, armchair, wardrobe, desk",
     "because wanted: hide I = verstecken I4 -; and: forget I = vergessen I4 -; before could any: read I = lesen "
     "I4 -; because: be a secret = sein geheim",
     "because: wobble = wackeln -; although: be very low = sein sehr niedrig; stop: have four legs = haben vier "
     "Beine; so not: wobble any more = wackeln - mehr; until not: wobble any more = wackeln - mehr"),
    ("S", "hide A in B = verstecken A4 - in B3",
     "ring, letter, key, coin, diary, photo, present, necklace, watch:Uhr",
     "drawer, box:Kiste, cupboard, suitcase, chest, safe, backpack, tin",
     "because: be valuable = sein wertvoll; so could not any: steal I = stehlen I4 -; stop: be a surprise = sein "
     "eine Überraschung; but any: find I at once = finden I4 sofort; before could any: steal I = stehlen I4 -; "
     "although: be worth nothing = sein nichts wert",
     "because: be almost empty = sein fast leer; and: lock I = ab|schließen I4 -; although could not: lock I = "
     "ab|schließen I4 -; stop: have a secret compartment = haben ein Geheimfach; after had: empty I = leeren I4 -; "
     "so: close I again = schließen I4 wieder"),
    ("S", "open A with B = öffnen A4 - mit B3",
     "box:Kiste, bottle, tin, letter, parcel, envelope, chest, can",
     "knife, hammer, screwdriver, fork, wrench",
     "because: be shut tight = sein fest verschlossen; but: be empty = sein leer; although: belong to the "
     "neighbour = gehören dem Nachbarn",
     "because: be strong enough = sein stark genug; until: be completely bent = sein ganz verbogen; but: slip = "
     "ab|rutschen -; although: be too short = sein zu kurz; after had: fetch I from the cellar = holen I4 aus dem "
     "Keller"),
    ("S", "lock A with B = ab|schließen A4 - mit B3",
     "door, gate:Tor, safe, drawer, house, flat, shed, bicycle",
     "key, padlock, chain:Kette",
     "so could not any: open I = öffnen I4 -; but any: break I open = auf|brechen I4 -; after had: close I = "
     "schließen I4 -",
     "although: be rusty = sein rostig; because: be very strong = sein sehr stabil; after had: buy I in a shop = "
     "kaufen I4 in einem Geschäft; although: be quite thin = sein ziemlich dünn"),
    ("S", "carry A up B = hinauf|tragen A4 - B4",
     "suitcase, box:Kiste, sofa, piano, sack, bicycle, chest, fridge",
     "staircase, hill, ladder, slope, mountain",
     "although: weigh forty kilos = wiegen vierzig Kilo; because not: fit into the lift = passen - in den Aufzug; "
     "but: slip = ab|rutschen -; and: put I down = ab|stellen I4 -; until: get too heavy = werden zu schwer",
     "although: be steep = sein steil; because: be the only way = sein der einzige Weg; but: be icy = sein "
     "vereist; until: get too steep = werden zu steil"),
    ("S", "paint A with B = streichen A4 - mit B3",
     "fence, wall:Wand, door, bench:Bank, chair, boat, gate:Tor, table, shed",
     "brush:Pinsel, paint roller, paint:Farbe, varnish",
     "because: look shabby = aus|sehen schäbig; until: shine like new = glänzen wie neu; so: look like new = "
     "aus|sehen wie neu; although: be brand new = sein nagelneu; after had: sand I = ab|schleifen I4 -",
     "because: be cheap in the shop = sein im Laden billig; after had: buy I in the shop = kaufen I4 im Laden; "
     "although: be expensive = sein teuer; stop: come from the supermarket = stammen aus dem Supermarkt"),
    ("S", "mend A with B = reparieren A4 - mit B3",
     "bicycle, lamp, chair, fence, radio, clock, door, cart, kite",
     "hammer, screwdriver, wire, wrench, glue, tool, rope",
     "because: be broken = sein kaputt; until: be like new = sein wie neu; so: be like new = sein wie neu; before: "
     "sell I = verkaufen I4 -; although: be hardly worth it = lohnen sich kaum",
     "because: lie in the toolbox = liegen im Werkzeugkasten; although: be not meant for that = sein nicht dafür "
     "gedacht; after had: borrow I from the neighbour = leihen I4 vom Nachbarn; and: put I back into the toolbox = "
     "legen I4 - zurück in den Werkzeugkasten"),
    ("S", "warm A on B = wärmen A4 - auf B3",
     "milk, soup, tea, cocoa, sauce, porridge",
     "stove, campfire",
     "until: boil = kochen -; because: be cold = sein kalt; before: drink I = trinken I4 -; and: drink I = trinken "
     "I4 -; but: boil over = über|kochen -",
     "because: be still hot = sein noch heiß; and: put I out = aus|machen I4 -; but: go out = aus|gehen -; until: "
     "go out = aus|gehen -; after had: light I = an|zünden I4 -"),
    ("S", "set A on B = stellen A4 - auf B4",
     "aquarium, television, candle, statue, computer, printer, typewriter, lamp, clock",
     "shelf, table, desk, stool, chest of drawers, board:Brett",
     "although: be heavy = sein schwer; until: fall down = herunter|fallen -; so: fall down = herunter|fallen -",
     "although: wobble = wackeln -; because: be strong enough = sein stabil genug; so: creak = knarren -; until: "
     "collapse = zusammen|brechen2 -; after had: dust I = ab|wischen I4 -; but: be slanting = sein schief"),
    ("S", "look for A in B = suchen A4 - in B3",
     "key, ring, ticket, passport, photo, watch:Uhr, letter, mobile phone, glove",
     "drawer, bag:Tasche, suitcase, car, wardrobe, room, cellar, backpack",
     "until: find I = finden I4 -; because had: lose I = verlieren I4 -; but could not: find I = finden I4 -; "
     "although: lie on the table = liegen auf dem Tisch; because: be missing = fehlen -",
     "but: be empty = sein leer; after had: unlock I = auf|schließen I4 -; stop: be a complete mess = sein ein "
     "einziges Durcheinander"),
    ("S", "sew A onto B = nähen A4 - an B4",
     "button, pocket, ribbon, collar:Kragen, patch",
     "coat, shirt, dress, jacket, blouse",
     "although: have a different colour = haben eine andere Farbe; but: come off again at once = ab|gehen sofort "
     "wieder; after had: find I in a drawer = finden I4 in einer Schublade",
     "before: wear I = tragen I4 -; and: put I on = an|ziehen I4 -; because wanted: wear I = tragen I4 -; after "
     "had: wash I = waschen I4 -"),
    ("S", "cover A with B = zu|decken A4 - mit B3",
     "car, bed, pool, well, boat, aquarium, table",
     "tarpaulin, blanket, cloth, board:Brett, sheet, net",
     "so: stay clean = bleiben sauber; because: be dusty = sein staubig; until: need I again = brauchen I4 wieder; "
     "after had: clean I = sauber|machen I4 -; although: be already dirty = sein schon schmutzig",
     "because: be large enough = sein groß genug; until: fall apart = zerfallen -; but: be too small = sein zu "
     "klein; although: have a hole = haben ein Loch; after had: fetch I from the shed = holen I4 aus dem Schuppen"),
    ("A", "chase B = jagen B4 -",
     "dog, fox, cat, wolf, lion, tiger, owl",
     "rabbit, mouse, hare, hen, duck, deer",
     "because: be hungry = sein hungrig; although: be full = sein satt; until: be out of breath = sein außer Atem; "
     "because wanted: eat something = fressen etwas; but: be too slow = sein zu langsam",
     "until: escape = entkommen -; but: escape = entkommen -; because: be easy prey = sein leichte Beute; so: flee "
     "= flüchten -"),
    ("A", "catch B = fangen B4 -",
     "cat, owl, fox, eagle, snake, crocodile",
     "mouse, rabbit, fish, frog, bird, butterfly, chick",
     "because: be hungry = sein hungrig; and: be full = sein satt; although: be full = sein satt; because: be a "
     "good hunter = jagen gut; although: be old and slow = sein alt und langsam",
     "because: be too slow = sein zu langsam; but: escape again = entkommen wieder; before could: escape = "
     "entkommen -; although: be quick = sein flink; because not: hide in time = verstecken sich - rechtzeitig"),
    ("A", "eat B = fressen B4 -",
     "goat, cow, rabbit, horse, donkey, hamster, pig, guinea pig",
     "apple, carrot, bread, cabbage, salad, banana, pear, straw, bush",
     "until: be full = sein satt; because: be hungry = sein hungrig; because had: get no food all day = bekommen "
     "den ganzen Tag kein Futter; although: be full = sein satt; and: be full = sein satt; before: go to sleep = "
     "ein|schlafen -",
     "because: taste good = schmecken gut; because: be juicy = sein saftig; although: be dry = sein vertrocknet; "
     "although: taste awful = schmecken scheußlich; before could any: take I away = weg|nehmen I4 -"),
    ("A", "drink B = trinken B4 -",
     "calf, cow, camel, kitten, lamb, horse, donkey, dog, goat",
     "water, milk, tea, juice",
     "because: be thirsty = sein durstig; until not: be thirsty any more = sein - mehr durstig; although not: be "
     "thirsty = sein - durstig; because: have a dry throat = haben eine trockene Kehle; and: be still thirsty = "
     "sein immer noch durstig",
     "because: taste sweet = schmecken süß; although: be dirty = sein trüb; although: be warm = sein lauwarm; "
     "because: be nice and cool = sein schön kühl; until: run out = aus|gehen -"),
    ("A", "jump onto B = springen - auf B4",
     "cat, squirrel, goat, monkey, kitten, frog",
     "table, shelf, chair, sofa, stone, wall:Mauer, bench:Bank, roof",
     "because wanted: play = spielen -; and: fall asleep = ein|schlafen -; until: be tired = sein müde; because: "
     "be afraid of the dog = haben Angst vor dem Hund; although: have an injured leg = haben ein verletztes Bein",
     "because: be warm from the sun = sein warm von der Sonne; although: be slippery = sein glatt; although: be "
     "quite high = sein ziemlich hoch; but: be slippery = sein glatt; because: be not very high = sein nicht sehr "
     "hoch"),
    ("A", "sleep in B = schlafen - in B3",
     "hamster, dog, cat, hedgehog, puppy, rabbit, guinea pig, bear",
     "basket, box:Kiste, hut, straw, bed, stable, cave, nest",
     "until: wake up = auf|wachen -; because: be tired = sein müde; although not: be tired = sein - müde; after "
     "had: eat = fressen -; because had: play all day = spielen den ganzen Tag; until: get hungry = werden hungrig",
     "because: be nice and warm = sein schön warm; although: be full of dust = sein voller Staub; although: be "
     "uncomfortable = sein unbequem; because: be dry = sein trocken; stop: lie in the shade = liegen im Schatten"),
    ("A", "hide behind B = verstecken sich - hinter B3",
     "cat, deer, fox, hedgehog, squirrel, monkey, rabbit, mouse",
     "tree, bush, wall:Mauer, hedge, curtain, rock, barrel, sofa",
     "because: be afraid = haben Angst; until: feel safe = fühlen sich sicher; although not: be in danger = sein - "
     "in Gefahr; because had: hear a noise = hören ein Geräusch; because: be shy = sein scheu",
     "because: be big enough = sein groß genug; although: be hardly wide enough = sein kaum breit genug; but: be "
     "too narrow = sein zu schmal; because: be close by = sein in der Nähe"),
    ("A", "escape from B = entkommen - aus B3",
     "parrot, hamster, tiger, snake, lion, monkey, pig, bird, hen",
     "cage, stable, box:Kiste, house, barn, zoo, hut",
     "because: be bored = langweilen sich; although: be well fed = sein gut gefüttert; but any: catch I again = "
     "fangen I4 wieder; because: be clever = sein klug; because wanted: be free = sein frei",
     "because: be open = sein offen; although: be locked = sein verschlossen; because not any: lock I = "
     "verschließen I4 -; because: have a hole = haben ein Loch"),
    ("A", "build a nest in B = bauen ein Nest in B3 -",
     "bird, pigeon, owl, mouse, squirrel, duck, goose",
     "tree, hedge, barn, roof, bush, church tower, garden",
     "because: be expecting young = erwarten Junge; because wanted: have young = bekommen Junge; although: have a "
     "nest already = haben schon ein Nest; and: sleep in peace = schlafen in Ruhe",
     "because: offer shelter = bieten Schutz; although: be close to the road = sein nah an der Straße; stop: "
     "belong to our neighbour = gehören unserem Nachbarn; although: offer little shelter = bieten wenig Schutz"),
    ("A", "pull B = ziehen B4 -",
     "horse, donkey, ox, pony, tractor, camel",
     "cart, sledge, carriage, wagon, boat",
     "until: be exhausted = sein erschöpft; because: be strong = sein kräftig; although: be tired = sein müde; "
     "but: get tired = werden müde",
     "until: break down = gehen kaputt; although: be fully loaded = sein voll beladen; because: have no engine = "
     "haben keinen Motor; but: be too heavy = sein zu schwer; so: begin to move = setzen sich in Bewegung"),
    ("A", "scare B = erschrecken B4 -",
     "dog, wolf, lion, snake, tiger, bear, crocodile",
     "rabbit, cat, sheep, goose, kitten, lamb, horse, deer, hen, calf",
     "because: show its teeth = zeigen die Zähne; because: be dangerous = sein gefährlich; although: be quite "
     "harmless = sein ganz harmlos",
     "so: run away = weg|laufen -; and: run away = weg|laufen -; until: hide = verstecken sich; because: be timid "
     "= sein ängstlich; but not: run away = weg|laufen -"),
    ("A", "sting B = stechen B4 -",
     "bee, wasp, mosquito, scorpion",
     "dog, horse, cow, monkey, calf, pig, rabbit",
     "because: feel threatened = fühlen sich bedroht; although: be tiny = sein winzig; stop: be tiny = sein "
     "winzig; and: disappear = verschwinden -; before could any: drive I away = vertreiben I4 -; because any had: "
     "annoy I = reizen I4 -",
     "so any must: comfort I = trösten I4 -; and: cry out in pain = auf|schreien vor Schmerz; so: have a thick leg "
     "now = haben jetzt ein dickes Bein; because: have no fur on its nose = haben kein Fell auf der Nase"),
    ("A", "follow B = folgen B3 -",
     "puppy, lamb, duckling, calf, kitten, dog, duck",
     "tractor, bus, cart, bicycle, car, carriage, van, wheelchair",
     "because: be curious = sein neugierig; until: be out of breath = sein außer Atem; because wanted: play = "
     "spielen -; but: get tired = werden müde; although: have short legs = haben kurze Beine",
     "until: turn off = ab|biegen -; although: make a terrible noise = machen einen schrecklichen Lärm; because: "
     "drive slowly = fahren langsam; but: drive too fast = fahren zu schnell; although: drive fast = fahren "
     "schnell"),
    ("A", "look out of B = sehen - aus B3",
     "cat, owl, mouse, bird, hamster, rabbit, squirrel, fox",
     "window, hole:Loch, nest, basket, cave, box:Kiste, cage, hut",
     "because: be curious = sein neugierig; because had: hear something = hören etwas; although: be afraid = haben "
     "Angst; and: listen = lauschen -; although: be shy = sein scheu; until: fall asleep = ein|schlafen -",
     "because: be too dark = sein zu dunkel; although: be quite comfortable = sein ganz bequem; although: be small "
     "and narrow = sein klein und eng; because: be small and narrow = sein klein und eng"),
    ("S", "feed A with B = füttern A4 - mit B3",
     "horse, goat, rabbit, donkey, pig, hamster, duck, calf",
     "bread, carrot, apple, salad, straw, grass, cabbage, banana",
     "until: be full = sein satt; because: be hungry = sein hungrig; before: go to sleep = ein|schlafen -; "
     "although not: be hungry = sein - hungrig; and: stroke I = streicheln I4 -",
     "because: be fresh = sein frisch; until: run out = aus|gehen -; although: be mouldy = sein schimmelig; after "
     "had: cut I up = klein|schneiden I4 -; after had: wash I = waschen I4 -"),
    ("S", "tie A to B = binden A4 - an B4",
     "dog, horse, goat, donkey, boat, cow, pony, camel, balloon",
     "tree, fence, post, bench:Bank, gate:Tor",
     "so could not: escape = entkommen -; but could: free itself = befreien sich; because any wanted: steal I = "
     "stehlen I4 -",
     "because: be firm = sein stabil; but: break off = ab|brechen2 -; although: be rotten = sein morsch"),
    ("S", "lead A into B = führen A4 - in B4",
     "horse, cow, goat, elephant, donkey, calf, sheep, pig",
     "stable, barn, cage, courtyard, tent",
     "and: feed I = füttern I4 -; because: be frightened = haben Angst; because: be tired = sein müde; although: "
     "resist = sträuben sich; before: get hungry = werden hungrig; to: feed I = füttern I4 -",
     "because: be empty = sein leer; although: be too small = sein zu klein; after had: clean I = sauber|machen I4 "
     "-; and: close I = schließen I4 -; but: be too small = sein zu klein"),
    ("S", "take A to B = bringen A4 - zu B3",
     "dog, cat, hamster, parrot, horse, puppy, rabbit, sheep",
     "vet's surgery, animal hospital, zoo, animal shelter",
     "because: be injured = sein verletzt; because: be ill = sein krank; although: scratch terribly = kratzen "
     "fürchterlich; because had: eat nothing for days = fressen seit Tagen nichts; but: run away on the way = "
     "weg|laufen unterwegs; stop: have a broken leg = haben ein gebrochenes Bein",
     "but: be closed = sein geschlossen; because: be nearby = sein in der Nähe; although: be far away = sein weit "
     "weg; before: close = schließen -; stop: have a large car park = haben einen großen Parkplatz; because: have "
     "a good reputation = haben einen guten Ruf"),
    ("S", "wash A in B = waschen A4 - in B3",
     "dog, cat, puppy, pony, guinea pig",
     "tub, bath:Badewanne, river, lake, stream",
     "because: stink = stinken -; until: be clean = sein sauber; although: bite = beißen -; because had: roll in "
     "the dirt = wälzen sich im Schmutz; and: brush I = bürsten I4 -; but: resist = wehren sich",
     "because: be big enough = sein groß genug; although: be shallow = sein flach; until: be completely muddy = "
     "sein ganz trübe; although: be quite small = sein ziemlich klein"),
    ("S", "ride A across B = reiten2 auf A3 - über B4",
     "horse, camel, donkey, pony, elephant",
     "bridge, meadow, field, market square, hill, beach",
     "until: get tired = werden müde; because: be gentle = sein sanft; but: limp = hinken -; although: be stubborn "
     "= sein störrisch; stop: snort happily = schnauben fröhlich; because: need exercise = brauchen Bewegung",
     "because: be the shortest way = sein der kürzeste Weg; although: be flooded = sein überschwemmt; but: be "
     "flooded = sein überschwemmt; stop: be covered with snow = sein mit Schnee bedeckt; although: be slippery = "
     "sein glatt"),
    ("S", "rescue A from B = retten A4 - aus B3",
     "cat, dog, calf, hedgehog, deer, hamster, goat, lamb, kitten",
     "well, river, ditch, fire, lake, swamp, pond, hole",
     "and: take I home = mit|nehmen I4 nach Hause; stop: be trembling = zittern -; although: bite = beißen -; "
     "after had: hear I = hören I4 -; because: cry for help = schreien um Hilfe",
     "because: be dangerous = sein gefährlich; although: be dangerous = sein gefährlich; stop: be near the village "
     "= sein in der Nähe des Dorfes"),
    ("S", "buy A for B = kaufen A4 - für B4",
     "cage, basket, toy, blanket, bone, collar:Halsband, bowl, hut",
     "dog, cat, hamster, parrot, rabbit, puppy, guinea pig, bird",
     "because: be cheap = sein billig; although: be expensive = sein teuer; but: break the next day = gehen am "
     "nächsten Tag kaputt; after had: see I in a shop window = sehen I4 in einem Schaufenster",
     "and: feed I = füttern I4 -; because: have birthday = haben Geburtstag; although: bite = beißen -"),
    # town and travel
    ("S", "drive A into B = fahren2 A4 - in B4",
     "car, bus, van, tractor, taxi, truck, motorbike, ambulance",
     "garage, tunnel, barn, courtyard, yard, side street",
     "because: have a flat tyre = haben einen Platten; and: lock I = ab|schließen I4 -; because: make strange "
     "noises = machen seltsame Geräusche; and: wash I = waschen I4 -",
     "because: be free = sein frei; although: be full = sein voll; but: be too narrow = sein zu eng; although: be "
     "closed = sein gesperrt; because: be open = sein offen; but: be already full = sein schon voll"),
    ("S", "park A in front of B = parken A4 - vor B3",
     "car, bus, van, tractor, taxi, truck, motorbike, caravan",
     "church, school, hotel, bank, museum, bakery, station, library",
     "because: have a flat tyre = haben einen Platten; and: lock I = ab|schließen I4 -; but any: tow I away = "
     "ab|schleppen I4 -; although: leak oil = verlieren Öl; because: be too big for the garage = sein zu groß für "
     "die Garage; but any: steal I = stehlen I4 -",
     "until: close = schließen -; before: open = auf|machen -; because: be open = sein geöffnet; although: have "
     "its own car park = haben einen eigenen Parkplatz; but: be closed = sein geschlossen; when: open = auf|machen "
     "-"),
    ("S", "wait for A in front of B = warten vor B3 - auf A4",
     "bus, taxi, train, tram, ambulance",
     "station, school, shop, hotel, hospital, church",
     "until: arrive = kommen -; but not: come = kommen -; because: be late = haben Verspätung; although: be late = "
     "haben Verspätung; and: finally come = kommen endlich; until could: see I = sehen I4 -",
     "because: be closed = sein geschlossen; until: open = auf|machen -; but not: open = auf|machen -; although: "
     "be open = sein geöffnet; because: be locked = sein abgeschlossen; stop: have a green door = haben eine grüne "
     "Tür"),
    ("A", "stop in front of B = halten - vor B3",
     "bus, taxi, train, tram, ambulance, car, police car, van",
     "station, school, hospital, museum, castle, hotel",
     "but: drive on at once = weiter|fahren sofort; and: hoot = hupen -; because: have a breakdown = haben eine "
     "Panne; and: drive on = weiter|fahren -; although: be already late = haben schon Verspätung; before: drive on "
     "= weiter|fahren -",
     "stop: be a hundred years old = sein hundert Jahre alt; because: be famous = sein berühmt; but: be still "
     "closed = sein noch geschlossen; although: be closed = sein geschlossen; because: be the last stop = sein die "
     "Endstation"),
    ("A", "drive into B = fahren - gegen B4",
     "car, bus, truck, motorbike, tram, van, tractor, taxi",
     "wall:Mauer, tree, fence, house, gate:Tor, post, hedge",
     "because: be too fast = sein zu schnell; because: have bad brakes = haben schlechte Bremsen; so any must: tow "
     "I away = ab|schleppen I4 -; although: brake = bremsen -; because: skid on the ice = rutschen auf dem Eis; "
     "before could: brake = bremsen -",
     "but: remain standing = bleiben stehen; because: stand too close to the road = stehen zu dicht an der Straße; "
     "although: be clearly visible = sein gut zu sehen"),
    ("A", "drive over B = fahren - über B4",
     "truck, bus, train, tractor, tram, van",
     "bridge, dam, pier",
     "although: be too heavy = sein zu schwer; and: hoot = hupen -; although: have a flat tyre = haben einen "
     "Platten; until: have a breakdown = haben eine Panne",
     "until: collapse = ein|stürzen -; although: be closed = sein gesperrt; although: be icy = sein vereist; "
     "because: lead to the harbour = führen zum Hafen; but: collapse = ein|stürzen -"),
    ("A", "sink in B = sinken - in B3",
     "ship, boat, ferry, yacht, raft, tanker",
     "lake, sea, harbour, river, bay, canal",
     "because: have a hole = haben ein Loch; although: be new = sein neu; because: be overloaded = sein überladen; "
     "after had: hit a rock = rammen einen Felsen",
     "because: be stormy = sein stürmisch; although: be calm = sein ruhig; although not: be deep = sein - tief; "
     "stop: be very deep there = sein dort sehr tief; because: be full of rocks = sein voller Felsen"),
    ("S", "forget A in B = vergessen A4 - in B3",
     "umbrella, bag:Tasche, coat, book, mobile phone, suitcase, hat, camera, wallet, jacket",
     "train, bus, taxi, café, hotel, tram, library, waiting room, museum",
     "but any: bring I back = zurück|bringen I4 -; and any: steal I = stehlen I4 -; although: be valuable = sein "
     "wertvoll; but any: find I = finden I4 -",
     "because: be crowded = sein überfüllt; although: be almost empty = sein fast menschenleer; because had: leave "
     "I in a hurry = verlassen I4 in Eile; stop: be very full = sein sehr voll"),
    ("A", "fly over B = fliegen - über B4",
     "aeroplane, helicopter, bird, balloon, owl, kite, eagle, drone",
     "lake, town, forest, house, mountain, field, village, meadow",
     "until: land = landen -; and: land = landen -; stop: be on its way south = sein auf dem Weg nach Süden; but: "
     "crash = ab|stürzen -; before: land = landen -",
     "although: be covered in fog = liegen im Nebel; stop: be covered with snow = sein mit Schnee bedeckt; "
     "although: be in a nature reserve = liegen in einem Naturschutzgebiet; stop: look tiny from up there = "
     "aus|sehen von oben winzig"),
    ("S", "photograph A from B = fotografieren A4 - von B3 aus",
     "castle, lake, church, sunset, harbour, village, waterfall",
     "tower, bridge, balcony, boat, hill, roof, window",
     "because: be so beautiful = sein so schön; because: look wonderful in the evening light = aus|sehen im "
     "Abendlicht wunderbar; stop: be reflected in the water = spiegeln sich im Wasser; although: be far away = "
     "sein weit weg",
     "because: offer a good view = bieten eine gute Aussicht; although: be closed to visitors = sein für Besucher "
     "gesperrt; stop: offer a good view = bieten eine gute Aussicht"),
    ("S", "cross A with B = überqueren A4 - mit B3",
     "river, lake, bay, canal, sea",
     "boat, ferry, raft, ship, sailing boat, yacht",
     "because: be calm = sein ruhig; although: be stormy = sein stürmisch; stop: be ten kilometres wide = sein "
     "zehn Kilometer breit; because: have no bridge = haben keine Brücke; because: be too wide for swimmers = sein "
     "für Schwimmer zu breit",
     "although: have a hole = haben ein Loch; but: capsize = kentern -; until: sink = sinken -; after had: repair "
     "I = reparieren I4 -; but: leak = lecken -; although: leak = lecken -"),
    ("S", "pack A into B = packen A4 - in B4",
     "camera, pullover, book, dress, umbrella, towel, shirt, map:Landkarte, coat, jacket",
     "suitcase, bag:Tasche, backpack, box:Kiste, chest, drawer",
     "because wanted: take I on holiday = mit|nehmen I4 in den Urlaub; after had: clean I = reinigen I4 -; "
     "although not: need I = brauchen I4 -; but: be too bulky = sein zu sperrig; before could: forget I = "
     "vergessen I4 -",
     "until: be full = sein voll; but could not: close I = schließen I4 -; and: close I = schließen I4 -; so: be "
     "too heavy to lift = sein zu schwer zum Heben; until could not: close I = schließen I4 -; after had: empty I "
     "= leeren I4 -"),
    ("S", "show A to the guard at B = zeigen dem Wächter an B3 A4 -",
     "passport, ticket, card, certificate",
     "gate:Tor, border, entrance:Eingang, door, barrier",
     "and: put I away again = weg|stecken I4 wieder; but: be out of date = sein abgelaufen; although: be out of "
     "date = sein abgelaufen; after had: look for I for a long time = suchen I4 lange",
     "until: open = auf|gehen -; but not: open = auf|gehen -; so: open = auf|gehen -; and: open = auf|gehen -; "
     "stop: be painted red = sein rot gestrichen"),
    ("S", "follow A to B = folgen A3 - zu B3",
     "path, river, stream, road, track, canal",
     "castle, village, cave, lake, farm, hut, waterfall, spring",
     "because: be clearly marked = sein gut markiert; although: be overgrown with grass = sein mit Gras "
     "überwachsen; stop: wind through the valley = schlängeln sich durch das Tal",
     "although: be five miles away = sein acht Kilometer entfernt; because wanted: visit I = besichtigen I4 -; so: "
     "find I at once = finden I4 sofort"),
    ("S", "see A from B = sehen A4 - von B3 aus",
     "sea, castle, lighthouse, lake, village, volcano, island, church",
     "window, tower, train, balcony, ship, plane:Flugzeug, hill",
     "although: be far away = sein weit weg; until: disappear in the fog = verschwinden im Nebel; because: be "
     "brightly lit = sein hell beleuchtet; but: be far away = sein weit weg; although: lie in the fog = liegen im "
     "Nebel",
     "because: be high enough = sein hoch genug; stop: offer a good view = bieten eine gute Aussicht; although: be "
     "small = sein klein"),
    # school and work
    ("S", "write A in B = schreiben A4 - in B4",
     "word, sentence, poem, name, rule, recipe, number, address",
     "notebook, book, diary, calendar",
     "because wanted: remember I = behalten I4 -; because: be difficult = sein schwierig; although: be wrong = "
     "sein falsch; and: learn I by heart = lernen I4 - auswendig; before could: forget I = vergessen I4 -; but: be "
     "wrong = sein falsch",
     "and: close I = zu|klappen I4 -; until: be full = sein voll; although: belong to somebody else = gehören "
     "jemand anderem; because: lie on the table = liegen auf dem Tisch; before: close I = zu|klappen I4 -; "
     "although: be almost full = sein fast voll"),
    ("S", "write A with B = schreiben A4 - mit B3",
     "letter, essay, poem, exam paper, postcard, report, list, story",
     "pen:Kugelschreiber, pencil, fountain pen, typewriter",
     "until: be finished = sein fertig; and: send I to Aunt Ida = schicken I4 Tante Ida; although: be long = sein "
     "lang; before: post I = ab|schicken I4 -; but: be too short = sein zu kurz",
     "because: write well = schreiben gut; until: break = zerbrechen2 -; after had: find I in a drawer = finden I4 "
     "in einer Schublade; because: lie on the desk = liegen auf dem Schreibtisch"),
    ("S", "read A in B = lesen A4 - in B3",
     "book, newspaper, novel, letter, magazine, fairy tale, report",
     "library, train, bath:Badewanne, garden, kitchen, café, tent, bus",
     "because: be exciting = sein spannend; although: be boring = sein langweilig; but: be boring = sein "
     "langweilig; so could: retell I = nach|erzählen I4 -; because had: borrow I from Aunt Ida = leihen I4 von "
     "Tante Ida; although: be in French = sein auf Französisch",
     "although: be noisy and full = sein laut und voll; because: be warm and cosy = sein warm und gemütlich; "
     "until: get too dark = werden zu dunkel; although: be cold and damp = sein kalt und feucht"),
    ("S", "copy A into B = ab|schreiben A4 - in B4",
     "sentence, word, poem, recipe, song, list, rule",
     "notebook, book, diary",
     "because: be important = sein wichtig; although not: understand I = verstehen I4 -; and: learn I = lernen I4 "
     "-; but: be too long = sein zu lang; although: be very long = sein sehr lang",
     "and: close I = zu|klappen I4 -; until: be full = sein voll; although: have a torn cover = haben einen "
     "zerrissenen Umschlag"),
    ("S", "solve A with B = lösen A4 mit B3 -",
     "problem, riddle, exercise, sum, puzzle:Puzzle, question",
     "computer, calculator, trick, formula, method, pencil",
     "because: be difficult = sein schwierig; although: be difficult = sein schwierig; stop: be very hard = sein "
     "sehr schwer",
     "although: be out of date = sein veraltet; because: work well = funktionieren gut"),
    ("S", "draw A on B = malen A4 - auf B4",
     "sun, horse, house, flower, face, tree, cat, heart, castle",
     "paper, board:Tafel, wall:Wand, poster",
     "although: be hard to draw = sein schwer zu zeichnen; and: colour I in = aus|malen I4 -; before: colour I in "
     "= aus|malen I4 -; because: be easy to draw = sein leicht zu zeichnen",
     "because: be still empty = sein noch leer; but: be too small = sein zu klein; although: be dirty = sein "
     "schmutzig"),
    ("S", "save A on B = speichern A4 - auf B3",
     "text, photo, report, film, letter, essay, song, video",
     "computer, laptop, mobile phone, tablet",
     "before: send I = verschicken I4 -; although: be not finished = sein noch nicht fertig; and: delete I by "
     "mistake = löschen I4 aus Versehen",
     "although: be old and slow = sein alt und langsam; and: switch I off = aus|schalten I4 -; but: break = gehen "
     "kaputt; before: switch I off = aus|schalten I4 -; until: be full = sein voll; because: have plenty of memory "
     "= haben viel Speicher"),
    ("S", "print A with B = drucken A4 - mit B3",
     "letter, report, invitation, contract, certificate",
     "printer, machine, computer, device",
     "because must: sign I = unterschreiben I4 -; and: fold I = falten I4 -; but: be too dark = sein zu dunkel; "
     "before: sign I = unterschreiben I4 -; although: be not finished = sein noch nicht fertig",
     "although: make strange noises = machen seltsame Geräusche; but: break = gehen kaputt; until: break = gehen "
     "kaputt; after had: switch I on = ein|schalten I4 -; because: be already switched on = sein schon "
     "eingeschaltet"),
    ("S", "hand A to the boss in B = geben dem Chef in B3 A4 -",
     "report, letter, key, contract, folder, file, list",
     "office:Büro, corridor, lift, canteen, hall:Saal",
     "after had: check I = prüfen I4 -; because: be urgent = sein dringend; although: be not finished = sein noch "
     "nicht fertig; but: be not finished = sein noch nicht fertig",
     "before: leave I = verlassen I4 -; and: leave I = verlassen I4 -; stop: be very crowded = sein sehr voll; "
     "although: be crowded = sein überfüllt"),
    ("S", "saw through A with B = durch|sägen A4 - mit B3",
     "board:Brett, branch, tree trunk, post, pipe, beam",
     "saw, knife, machine",
     "because: be too long = sein zu lang; although: be very hard = sein sehr hart; until: fall to the ground = "
     "fallen auf den Boden; and: carry I away = weg|tragen I4 -; so: fall to the ground = fallen auf den Boden",
     "because: be very sharp = sein sehr scharf; until: be blunt = sein stumpf; although: be blunt = sein stumpf; "
     "after had: sharpen I = schärfen I4 -; and: put I back = zurück|legen I4 -"),
    ("S", "dig A with B = graben A4 - mit B3",
     "hole, ditch, well, grave, tunnel, pond",
     "shovel, spade, excavator, machine",
     "until: be two metres deep = sein zwei Meter tief; and: fill I with water = füllen I4 - mit Wasser; but: "
     "collapse = ein|stürzen -; because: be too shallow = sein zu flach",
     "until: break = zerbrechen2 -; after had: borrow I from the neighbour = leihen I4 vom Nachbarn; but: break = "
     "zerbrechen2 -; although: be rusty = sein rostig"),
    ("S", "pull A out of the mud with B = ziehen A4 - mit B3 aus dem Schlamm",
     "cart, tree trunk, wagon, sledge, car, boat",
     "rope, tractor, chain:Kette, horse, winch",
     "but: be too heavy = sein zu schwer; until: be on the road again = sein wieder auf der Straße; although: have "
     "no wheels = haben keine Räder; although: weigh a ton = wiegen eine Tonne; so: be soon free = sein bald frei",
     "because: be strong enough = sein stark genug; although: look weak = aus|sehen schwach; because: be strong = "
     "sein stark"),
    ("S", "exchange A for B = tauschen A4 gegen B4 -",
     "piano, guitar, bicycle, camera, violin, boat, computer, watch:Uhr",
     "dog, ring, motorbike, horse, caravan, laptop, sewing machine, goat",
     "although: be still as good as new = sein noch so gut wie neu; because not: need I any more = brauchen I4 - "
     "mehr; although had: inherit I = erben I4 -; although not wanted: give I away = weg|geben I4 -",
     "because wanted: give I to Anna = schenken I4 Anna; although not: need I = brauchen I4 -; but: turn out to be "
     "stolen = sein gestohlen; and: take I home = mit|nehmen I4 nach Hause"),
    # sport and play
    ("S", "kick A against B = schießen A4 - gegen B4",
     "ball, tin, stone, football, can",
     "window, wall:Mauer, door, fence, gate:Tor, car, lamp, tree, bottle",
     "and: bounce back = ab|prallen -; because: lie in the way = liegen im Weg; and: roll into the gutter = rollen "
     "in den Graben; so: bounce back = ab|prallen -",
     "although: be freshly painted = sein frisch gestrichen; although: belong to the neighbour = gehören dem "
     "Nachbarn; so: get a crack = bekommen einen Riss"),
    ("S", "throw A at B = werfen A4 - auf B4",
     "stone, snowball, apple, ball, nut, egg, tomato",
     "cat, wolf, snake, dog, bird, crocodile, crow",
     "after had: pick I up = auf|heben I4 -; but: land in a bush = landen in einem Busch; and: land in a bush = "
     "landen in einem Busch; although: be quite hard = sein ziemlich hart",
     "and: escape = flüchten -; until: flee = flüchten -; because: make a terrible noise = machen einen "
     "schrecklichen Lärm; so: flee = flüchten -; because: look dangerous = aus|sehen gefährlich"),
    ("S", "throw A over B = werfen A4 - über B4",
     "ball, stone, snowball, apple, stick, hat, newspaper, shoe",
     "fence, wall:Mauer, hedge, gate:Tor",
     "and: land in the garden = landen im Garten; but: land in a tree = landen in einem Baum; so must: look for I "
     "= suchen I4 -; because not: want I any more = wollen I4 - mehr",
     "although: be two metres high = sein zwei Meter hoch; because not: be very high = sein - sehr hoch; stop: be "
     "two metres high = sein zwei Meter hoch; although: be very high = sein sehr hoch"),
    ("S", "hang A in B = hängen A4 - in B4",
     "swing:Schaukel, lamp, lantern, nest, bell:Glocke, hammock, feeder",
     "tree, garden, barn, tower, tent, room, hall:Halle, stable",
     "and: swing in the wind = schaukeln im Wind; although: be heavy = sein schwer; until: fall down = "
     "herunter|fallen -; but: fall down = herunter|fallen -; because had: make I = basteln I4 -",
     "because: be empty = sein leer; although: be very small = sein sehr klein; stop: belong to his grandfather = "
     "gehören dem Großvater"),
    ("S", "win A in B = gewinnen A4 - in B3",
     "cup:Pokal, prize, medal, trophy",
     "race, competition, match:Spiel, tournament",
     "and: put I on the shelf = stellen I4 - ins Regal; but any: steal I the next day = stehlen I4 am nächsten "
     "Tag; stop: be made of gold = sein aus Gold; but: lose I on the way home = verlieren I4 auf dem Heimweg; and: "
     "show I to everybody = zeigen I4 allen",
     "although: be hard = sein anstrengend; although: last three hours = dauern drei Stunden; stop: last three "
     "hours = dauern drei Stunden; stop: take place in May = statt|finden im Mai"),
    ("S", "watch A on B = an|schauen A4 - auf B3",
     "film, match:Spiel, series, concert, documentary, cartoon, opera",
     "television, laptop, screen, mobile phone, tablet, computer",
     "until: be over = sein vorbei; because: be exciting = sein spannend; although: be boring = sein langweilig; "
     "but: be boring = sein langweilig; stop: last two hours = dauern zwei Stunden; because had: miss I at the "
     "cinema = verpassen I4 im Kino",
     "until: break down = gehen kaputt; and: switch I off = aus|schalten I4 -; but: be too small = sein zu klein; "
     "before: switch I off = aus|schalten I4 -; although: be tiny = sein winzig; after had: switch I on = "
     "ein|schalten I4 -"),
    ("S", "build A out of B = bauen A4 aus B3 -",
     "snowman, castle, house, hut, tower, bird table",
     "snow, sand, wood:Holz, cardboard, paper, straw, clay",
     "until: collapse = ein|stürzen -; but: collapse = ein|stürzen -; and: photograph I = fotografieren I4 -; so: "
     "be finished by evening = sein am Abend fertig; because wanted: play with I = spielen - mit I3; although: be "
     "only a toy = sein nur ein Spielzeug",
     "until: run out = aus|gehen -; because: be free = kosten nichts; although: be wet = sein nass; because: lie "
     "around everywhere = herum|liegen überall; after had: collect I = sammeln I4 -; because: be cheap = sein "
     "billig"),
    ("S", "balance A on B = balancieren A4 - auf B3",
     "ball, glass, stick, plate, book, bottle, egg, spoon",
     "nose, finger, head, hand, knee, foot, elbow",
     "until: fall down = herunter|fallen -; but: fall down = herunter|fallen -; because: be light = sein leicht; "
     "although: be heavy = sein schwer",
     "until: hurt = tun weh; but: itch = jucken -; although: hurt = schmerzen -; so: hurt = schmerzen -; until: "
     "itch = jucken -"),
    ("A", "roll down B = hinunter|rollen - B4",
     "ball, barrel, stone, wheel, apple, cart, coin, marble",
     "hill, street, staircase, ramp, slope, roof, lane",
     "until any: stop I = stoppen I4 -; because: be round = sein rund; because any had: push I = stoßen I4 -; "
     "until: hit a tree = prallen gegen einen Baum; and: disappear in a bush = verschwinden in einem Busch; before "
     "could any: catch I = fangen I4 -",
     "because: be steep = sein steil; although not: be steep = sein - steil; because: be smooth and icy = sein "
     "glatt und vereist; stop: be very steep = sein sehr steil; although: be not very steep = sein nicht sehr "
     "steil"),
    ("S", "row A across B = rudern A4 - über B4",
     "boat, raft, barge",
     "lake, river, canal, bay, sea",
     "until: sink = sinken -; but: leak = lecken -; although: have a leak = haben ein Leck; because had: rent I "
     "for the day = mieten I4 für den Tag",
     "although: be rough = sein unruhig; because: be calm = sein ruhig; until: get too rough = werden zu unruhig; "
     "but: be too rough = sein zu unruhig; stop: be a mile wide = sein zwei Kilometer breit"),
    # music
    ("S", "play A on B = spielen A4 auf B3 -",
     "song, waltz, melody, march, tune, lullaby, anthem, hit",
     "guitar, piano, violin, flute, trumpet, cello, accordion, saxophone",
     "because: be easy to learn = sein leicht zu lernen; although: be difficult = sein schwierig; and: sing I too "
     "= singen I4 auch; until any could: sing I = singen I4 -; because had: hear I on the radio = hören I4 im "
     "Radio; stop: have a sad ending = enden traurig",
     "although: be out of tune = sein verstimmt; until: be out of tune = sein verstimmt; but: be out of tune = "
     "sein verstimmt; because had: get I for Christmas = bekommen I4 zu Weihnachten; after had: tune I = stimmen "
     "I4 -; stop: have a warm sound = haben einen warmen Klang"),
    ("S", "play A in B = spielen A4 - in B3",
     "guitar, violin, trumpet, piano, flute, accordion",
     "church, hall:Saal, garden, theatre, room, school, park, tent",
     "because: sound wonderful = klingen wunderbar; although: be out of tune = sein verstimmt; so any could: hear "
     "I from far away = hören I4 von weitem; after had: tune I = stimmen I4 -; stop: sound wonderful = klingen "
     "wunderbar; but: be out of tune = sein verstimmt",
     "until: be full of people = sein voller Menschen; because: be empty = sein leer; although: be freezing cold = "
     "sein eiskalt; although: be almost empty = sein fast leer; stop: have good acoustics = haben eine gute "
     "Akustik; but: be almost empty = sein fast leer"),
    ("S", "hit A with B = schlagen A4 - mit B3",
     "drum, bell:Glocke, gong, xylophone",
     "stick, hammer, spoon, mallet",
     "so: sound through the whole house = klingen durch das ganze Haus; although: be very loud = sein sehr laut; "
     "because: sound beautiful = klingen schön; although: sound terrible = klingen schrecklich",
     "until: break = zerbrechen2 -; but: break = zerbrechen2 -; and: put I aside = weg|legen I4 -; because: lie "
     "close by = liegen in der Nähe; so: break = zerbrechen2 -"),
    ("S", "put A back into B = legen A4 - zurück in B4",
     "violin, flute, trumpet, guitar, saxophone, clarinet",
     "case:Koffer, box:Kiste, cupboard, bag:Tasche, chest",
     "because: be out of tune = sein verstimmt; after had: play I for two hours = spielen I4 zwei Stunden lang; "
     "because not wanted: play I any more = spielen I4 - mehr; although: sound wonderful = klingen wunderbar",
     "and: lock I = ab|schließen I4 -; but: be too small = sein zu klein; after had: open I = öffnen I4 -; and: "
     "close I = schließen I4 -; although: be too small = sein zu klein"),
    # nature and weather
    ("A", "destroy B = zerstören B4 -",
     "storm, flood, fire, earthquake, avalanche, hurricane, wave, lightning",
     "house, bridge, church, village, hut, barn, pier, harbour, school",
     "because: be so violent = sein so heftig; and: rage on = weiter|toben; although: last only a minute = dauern "
     "nur eine Minute; because: come without warning = kommen ohne Warnung; stop: come in the night = kommen in "
     "der Nacht; because any could not: stop I = auf|halten I4 -",
     "although: be new = sein neu; so any must: rebuild I = auf|bauen I4 wieder; because: be badly built = sein "
     "schlecht gebaut; but any: rebuild I = auf|bauen I4 wieder; stop: be two hundred years old = sein zweihundert "
     "Jahre alt; although: be built of stone = sein aus Stein gebaut"),
    ("A", "shine on B = scheinen - auf B4",
     "sun, moon, lamp, torch:Taschenlampe, spotlight",
     "snow, lake, picture, meadow, window, statue",
     "because: be so bright = sein so hell; but: be not very bright = sein nicht sehr hell; although: be not very "
     "bright = sein nicht sehr hell; but: be quite weak = sein ziemlich schwach; stop: be brighter than usual = "
     "sein heller als sonst",
     "until: glitter = funkeln -; so: glitter = funkeln -; so: look beautiful = aus|sehen schön; until: gleam like "
     "silver = schimmern wie Silber; so: gleam like silver = schimmern wie Silber"),
    ("A", "fall on B = fallen - auf B4",
     "tree, branch, stone, roof tile, rock, lamp post",
     "car, house, fence, bicycle, tent, hut, bench:Bank, shed, greenhouse",
     "because: come loose in the storm = lösen sich im Sturm; although: look so firm = aus|sehen so stabil; and "
     "any must: clear I away = weg|räumen I4 -; so any: carry I away = weg|tragen I4 -",
     "so any must: repair I = reparieren I4 -; so: be completely flattened = sein völlig platt; and: be badly "
     "damaged = sein schwer beschädigt; but: be hardly damaged = sein kaum beschädigt; so: be ruined = sein "
     "ruiniert"),
    ("A", "grow in B = wachsen - in B3",
     "flower, tree, cactus, bush, rose, tulip, herb, palm tree, mushroom",
     "garden, forest, desert, flower bed, greenhouse, park",
     "although not any: water I = gießen I4 -; so: bloom in May = blühen im Mai; and: bloom in May = blühen im "
     "Mai; although: be quite rare = sein ziemlich selten; until any: pull I out = aus|reißen I4 -; but: wither = "
     "verwelken -",
     "although: be dry = sein trocken; because: have good soil = haben gute Erde; although: be very small = sein "
     "sehr klein; because: be sunny = sein sonnig; although: lie in the shade = liegen im Schatten"),
    ("S", "plant A in B = pflanzen A4 - in B4",
     "tree, rose, flower, bush, cactus, tulip, sunflower, apple tree, herb",
     "garden, pot, flower bed, bucket, tub, park",
     "and: water I every day = gießen I4 jeden Tag; but: wither = verwelken -; so: grow fast = wachsen schnell; "
     "but not: grow = wachsen -; because had: get I as a present = bekommen I4 geschenkt; after had: water I = "
     "gießen I4 -",
     "because: have good soil = haben gute Erde; although: be full of stones = sein voller Steine; because: be "
     "still empty = sein noch leer"),
    ("S", "water A with B = gießen A4 - mit B3",
     "flower, rose, bush, cactus, vegetable, sunflower",
     "watering can, bucket, hose, bottle, jug, can",
     "because: be dry = sein trocken; because: need water = brauchen Wasser; so: grow fast = wachsen schnell; "
     "although: need no water = brauchen kein Wasser; until: bloom = blühen -; but: wither = verwelken -; although "
     "had any: water I already = gießen I4 schon",
     "until: be empty = sein leer; although: have a hole = haben ein Loch; but: leak = lecken -; after had: fill I "
     "= füllen I4 -; so: be soon empty = sein bald leer; because: be full of rainwater = sein voller Regenwasser"),
    ("S", "pick A from B = pflücken A4 - von B3",
     "apple, pear, cherry, peach, plum, orange",
     "tree, branch",
     "because: be ripe = sein reif; and: eat I = essen I4 -; although not: be ripe = sein - reif; but: be full of "
     "worms = sein voller Würmer; but: taste sour = schmecken sauer; stop: taste sour = schmecken sauer; although: "
     "taste sour = schmecken sauer",
     "so: be bare = sein kahl; although: belong to the neighbour = gehören dem Nachbarn; after had: shake I = "
     "schütteln I4 -; until: be bare = sein kahl; stop: be very old = sein sehr alt"),
    ("S", "collect A in B = sammeln A4 - in B3",
     "wood:Holz, straw, fruit, grass, paper",
     "bucket, bag:Tasche, basket, barrel, box:Kiste, sack, tub",
     "because wanted: burn I = verbrennen I4 -; although: be wet = sein nass; because: lie around everywhere = "
     "herum|liegen überall; but: be wet = sein nass; because: be dry = sein trocken",
     "until: be full = sein voll; because: be big enough = sein groß genug; although: have a hole = haben ein "
     "Loch; but: have a hole = haben ein Loch; and: carry I into the house on the back = tragen I4 auf dem Rücken "
     "ins Haus"),
    ("A", "swim across B = schwimmen - durch B4",
     "dog, duck, horse, frog, swan, crocodile, elephant, camel",
     "river, lake, pond, canal, pool, stream, bay",
     "although: be tired = sein müde; until: be exhausted = sein erschöpft; and: shake itself = schütteln sich; "
     "but: get tired = werden müde; because: be hungry = sein hungrig; because: be afraid of the hunter = haben "
     "Angst vor dem Jäger",
     "although: be deep = sein tief; because: have no bridge = haben keine Brücke; although: be icy cold = sein "
     "eiskalt; stop: be very deep = sein sehr tief; because not: be very wide = sein - sehr breit; although: be "
     "polluted = sein verschmutzt"),
    ("A", "block B = versperren B4 -",
     "tree trunk, rock, truck, snow, car, bus, avalanche, cow",
     "road, path, tunnel, bridge, street, railway track, gate:Tor, entrance:Einfahrt",
     "until any: remove I = entfernen I4 -; because any could not: move I = bewegen I4 -; although any: try to "
     "move I = versuchen I4 zu bewegen; until any could: remove I = entfernen I4 -",
     "so any must: close I = sperren I4 -; although: be six metres wide = sein sechs Meter breit; stop: lead to "
     "the village = führen zum Dorf; because: be narrow = sein eng; until: be free again = sein wieder frei; so "
     "any could not: use I = benutzen I4 -"),
    ("A", "float on B = schwimmen - auf B3",
     "boat, leaf, duck, bottle, raft, toy ship, swan, ball",
     "lake, pond, river, sea, canal, water",
     "because: be light = sein leicht; but: sink in the end = sinken am Ende; although: be heavy = sein schwer; "
     "until: sink = sinken -",
     "until: freeze = zu|frieren -; because: be calm = sein ruhig; although: be stormy = sein stürmisch; stop: be "
     "as smooth as glass = sein spiegelglatt"),
    # clothes
    ("S", "wear A with B = tragen A4 mit B3 -",
     "dress, suit, coat, skirt, costume, shirt, pullover",
     "belt, scarf, tie, necklace, ring, brooch",
     "although not: be ironed = sein - gebügelt; because: be freshly ironed = sein frisch gebügelt; after had: "
     "iron I = bügeln I4 -; although: have a stain on the sleeve = haben einen Fleck am Ärmel; because had: iron I "
     "= bügeln I4 -",
     "because: match the shoes = passen zu den Schuhen; although not: match the shoes = passen - zu den Schuhen; "
     "but not: match the shoes = passen - zu den Schuhen; after had: find I in a small box = finden I4 in einem "
     "Kästchen; because: be a gift from Emma = sein ein Geschenk von Emma"),
    ("S", "hang A in B = hängen A4 - in B4",
     "coat, dress, jacket, shirt, suit, skirt, uniform, bathrobe",
     "wardrobe, cupboard, cellar, bathroom, corridor",
     "until: be dry = sein trocken; because: be wet = sein nass; after had: iron I = bügeln I4 -; and: forget I = "
     "vergessen I4 -; before: put I on again = an|ziehen I4 wieder; although: be still wet = sein noch nass; "
     "because: be freshly ironed = sein frisch gebügelt",
     "because: be empty = sein leer; although: be full = sein voll; but: be full = sein voll; until: be full = "
     "sein voll; although: be dusty = sein staubig"),
    ("S", "dry A in front of B = trocknen A4 - vor B3",
     "coat, shirt, sock, dress, glove, jacket, hat",
     "fire, stove, oven, heater, campfire, fireplace",
     "because: be wet = sein nass; until could: put I on = an|ziehen I4 -; although: be hardly wet = sein kaum "
     "nass; but: shrink = ein|laufen -; and: put I on = an|ziehen I4 -; because had: fall into the water = fallen "
     "ins Wasser; before: put I on = an|ziehen I4 -",
     "until: go out = aus|gehen -; because: burn brightly = brennen hell; although: smoke = rauchen -; but: go out "
     "= aus|gehen -; after had: light I = an|zünden I4 -; and: put I out = löschen I4 -; before: put I out = "
     "löschen I4 -"),
    ("S", "tear A on B = zerreißen A4 - an B3",
     "shirt, dress, coat, skirt, trouser leg, jacket, sleeve, glove",
     "nail, fence, branch, hook, wire",
     "so must: mend I = flicken I4 -; and: throw I away = weg|werfen I4 -; because: be too long = sein zu lang; "
     "although: be made of strong material = sein aus festem Stoff; but could: mend I = flicken I4 -; stop: be "
     "brand new = sein nagelneu",
     "because: stick out = heraus|ragen -; stop: stick out = heraus|ragen -; because had not: see I = sehen I4 -; "
     "although had: see I = sehen I4 -; because: be so sharp and pointed = sein so spitz; stop: be very sharp and "
     "pointed = sein sehr spitz"),
    ("S", "clean A with B = putzen A4 - mit B3",
     "shoe, boot, jacket, mirror, lamp, bicycle, window, pan, table",
     "brush:Bürste, cloth, sponge, rag, handkerchief, towel",
     "until: shine = glänzen -; so: shine = glänzen -; although: look quite clean = aus|sehen ganz sauber; "
     "because: be covered with dust = sein voller Staub; and: look like new = aus|sehen wie neu; but not: shine = "
     "glänzen -",
     "until: fall apart = zerfallen -; because: be soft = sein weich; and: wash I out = aus|waschen I4 -; "
     "although: be torn = sein zerrissen; but: fall apart = zerfallen -"),
    ("S", "put A into B = stecken A4 - in B4",
     "key, letter, coin, handkerchief, ticket, phone, wallet, watch:Uhr, photo",
     "pocket, bag:Tasche, coat, jacket, drawer, backpack, envelope",
     "so not: lose I = verlieren I4 -; but: fall out = heraus|fallen -; because wanted: keep I = behalten I4 -; "
     "and: forget I = vergessen I4 -; before could: lose I = verlieren I4 -; until: need I = brauchen I4 -",
     "but: have a hole = haben ein Loch; although: have a hole = haben ein Loch; because: have no hole = haben "
     "kein Loch"),
    ("S", "borrow A for B = leihen A4 - für B4",
     "suit, dress, hat, tie, car, necklace, costume, camera, umbrella",
     "wedding, party, journey, festival, concert, trip, dance, competition",
     "but: lose I = verlieren I4 -; and: bring I back = zurück|bringen I4 -; so must: bring I back = "
     "zurück|bringen I4 -; but: get lost = gehen verloren; although not: like I = mögen I4 -",
     "stop: take place on Sunday = statt|finden am Sonntag; until: be over = sein vorbei; although: last only ten "
     "minutes = dauern nur zehn Minuten"),
    # post and shop
    ("S", "send A in B = schicken A4 - in B3",
     "letter, photo, book, present, postcard, cake, certificate, watch:Uhr",
     "parcel, envelope, box:Kiste, tube",
     "because any wanted: have I = haben I4 -; because any had: order I = bestellen I4 -; although: be valuable = "
     "sein wertvoll",
     "after had: close I = zu|kleben I4 -; but: be too small = sein zu klein; because: be the right size = haben "
     "die richtige Größe; after had: put a stamp on I = kleben eine Marke auf I4"),
    ("S", "stick A on B = kleben A4 - auf B4",
     "stamp, note, label, photo, poster",
     "letter, parcel, envelope, box:Kiste, postcard",
     "but: fall off = ab|fallen -; after had: lick I = an|lecken I4 -; until: fall off = ab|fallen -; but: be "
     "crooked = kleben schief",
     "and: post I = ab|schicken I4 -; before: post I = ab|schicken I4 -; because wanted: post I = ab|schicken I4 -"),
    ("S", "take A to B = bringen A4 - zu B3",
     "letter, parcel, postcard, package, present",
     "post office, airport, neighbour's house, station",
     "because: be urgent = sein dringend; although: be not stamped = sein nicht frankiert; stop: be for Aunt Emma "
     "= sein für Tante Emma; after had: pack I = verpacken I4 -",
     "but: be closed = sein geschlossen; because: be close by = sein in der Nähe; before: close = schließen -; "
     "although: be closed = sein geschlossen; because: be open on Saturdays = sein samstags geöffnet; although: be "
     "far away = sein weit entfernt"),
    ("S", "throw A into B = werfen A4 - in B4",
     "coin, stone, newspaper, ring, bottle, apple, ball",
     "well, river, lake, ditch, dustbin, canal",
     "because not wanted: keep I = behalten I4 -; because: be worthless = sein wertlos; although: be still good = "
     "sein noch gut; after had: look at I = an|schauen I4 -; before could any: see I = sehen I4 -; although: be "
     "valuable = sein wertvoll; so: be lost = sein verloren",
     "because: be close by = sein in der Nähe; although: be in front of the town hall = sein vor dem Rathaus; "
     "stop: be in front of the town hall = sein vor dem Rathaus; after had: look into I = schauen - in I4"),
    ("S", "drop A into B = lassen A4 - in B4 fallen",
     "key, coin, ring, mobile phone, spoon, watch:Uhr, pen:Kugelschreiber, necklace",
     "well, river, lake, drain, sea, pond, toilet, canal",
     "but could: fish I out = heraus|fischen I4 -; and could not: find I again = finden I4 - wieder; so: be lost = "
     "sein verloren; because: be slippery = sein glitschig; after had: look at I = an|schauen I4 -; although: be "
     "valuable = sein wertvoll; because not: want I any more = wollen I4 - mehr",
     "but not: be deep = sein - tief; stop: be deep and dark = sein tief und dunkel; but: be quite shallow = sein "
     "ziemlich seicht; because had not: see I = bemerken I4 -"),
    ("S", "buy A in B = kaufen A4 - in B3",
     "bread, cake, lamp, coat, book, fish, dress, cheese, guitar, camera, bicycle",
     "supermarket, shop, market hall, department store",
     "because: be cheap = sein billig; and: take I home = mit|nehmen I4 nach Hause; although: be expensive = sein "
     "teuer; but not: pay for I = bezahlen I4 -; because: be reduced = sein im Angebot; but: leave I at the till = "
     "vergessen I4 an der Kasse; stop: be in the sale = sein im Angebot; and: carry I home = tragen I4 - nach "
     "Hause",
     "before: close = schließen -; because: be close to the house = sein in der Nähe des Hauses; although: be "
     "crowded = sein voller Menschen; stop: be full of people = sein voller Menschen; after had: enter I = "
     "betreten I4 -; and: leave I = verlassen I4 -"),
    ("S", "pay for A with B = bezahlen A4 - mit B3",
     "bread, ticket, meal:Essen, cake, book, dress, coat, pizza, room",
     "card, banknote, cheque, voucher",
     "although: be too expensive = sein zu teuer; stop: cost ten euros = kosten zehn Euro; although: be far too "
     "expensive = sein viel zu teuer",
     "but: be forged = sein gefälscht; although: be forged = sein gefälscht; after had: find I in the street = "
     "finden I4 auf der Straße; because: be still valid = sein noch gültig; stop: be forged = sein gefälscht"),
    # toys and children
    ("S", "take A from B = weg|nehmen B3 A4 -",
     "bone, ball, stick, meat, shoe, sausage, toy, newspaper",
     "dog, cat, puppy, monkey, parrot, wolf, kitten",
     "because wanted: throw I away = weg|werfen I4 -; and: throw I away = weg|werfen I4 -; but: be already torn to "
     "pieces = sein schon ganz zerbissen; although: be already chewed = sein schon zerkaut",
     "so: growl = knurren -; although: growl = knurren -; but not: resist = wehren sich -; so: run away offended = "
     "weg|laufen beleidigt; although: resist = wehren sich; because: be naughty = sein ungezogen; but: bite = "
     "beißen -"),
    ("S", "give A to B = geben B3 A4 -",
     "bone, banana, fish, carrot, apple, sausage, cake, meat",
     "dog, monkey, bear, horse, cat, elephant, goat, donkey, pig, crocodile",
     "because: be left over = sein übrig; although: be mouldy = sein schimmelig; after had: cut I in two = "
     "durch|schneiden I4 -; although: be delicious = sein köstlich; because not wanted: eat I = essen I4 -",
     "because: be hungry = sein hungrig; and: chew happily = kauen zufrieden; although not: be hungry = sein - "
     "hungrig; so: be satisfied = sein zufrieden; but not: be hungry = sein - hungrig; until: be full = sein satt; "
     "because: beg for food = betteln um Futter"),
    ("A", "play with B = spielen - mit B3",
     "kitten, puppy, dog, monkey, baby elephant, goat, cat",
     "ball, toy, rope, cushion, shoe, balloon, glove, doll, hat",
     "until: fall asleep = ein|schlafen -; because: be bored = langweilen sich; although: be tired = sein müde; "
     "and: fall asleep = ein|schlafen -; but: get tired = werden müde; before: fall asleep = ein|schlafen -",
     "until: be torn = sein zerrissen; because: be so soft = sein so weich; until any: take I away = weg|nehmen I4 "
     "-; although: belong to Tom = gehören Tom; so: be soon broken = gehen bald kaputt; so: break = gehen kaputt; "
     "but: break = gehen kaputt"),
    ("A", "tear B = zerreißen B4 -",
     "dog, cat, puppy, goat, monkey, rat",
     "newspaper, letter, pillow, book, coat, curtain, dress, carpet, hat",
     "because: be bored = langweilen sich; although: be well trained = sein gut erzogen; and: hide under the bed = "
     "verstecken sich unter dem Bett; because: be angry = sein wütend; because wanted: play = spielen -",
     "so any must: throw I away = weg|werfen I4 -; although: be brand new = sein nagelneu; stop: be brand new = "
     "sein nagelneu; and any must: throw I away = weg|werfen I4 -"),
    ("A", "knock over B = um|werfen B4 -",
     "cat, dog, goat, monkey, puppy, cow, pony",
     "vase, bucket, lamp, bottle, chair, flower pot, table, statue",
     "because: chase a fly = jagen eine Fliege; and: run away = weg|laufen -; so any: scold I = schimpfen - mit "
     "I3; before could any: catch I = fangen I4 -; because had: see a mouse = sehen eine Maus",
     "so: break = gehen kaputt; so any must: stand I up again = auf|stellen I4 wieder; because: be in the way = "
     "stehen im Weg; but not: break = gehen - kaputt; although: be heavy = sein schwer; because not: stand firmly "
     "= stehen - fest"),
    ("A", "stand in B = stehen - in B3",
     "horse, cow, donkey, pony, camel, elephant, goat, calf, sheep",
     "stable, barn, river, puddle, cave, courtyard",
     "and: eat hay = fressen Heu; until: get hungry = werden hungrig; because had: run away = weg|laufen -; "
     "although: be thirsty = sein durstig; and: wait for food = warten auf Futter; until any: call I = rufen I4 -; "
     "because: have a sore leg = haben ein wundes Bein",
     "although: be wet and cold = sein nass und kalt; because: be cool = sein kühl; although: be dirty = sein "
     "schmutzig; stop: belong to the old farmer = gehören dem alten Bauern; although: belong to the neighbour = "
     "gehören dem Nachbarn"),
    ("S", "put A to bed in B = legen A4 - in B4",
     "doll, teddy bear, puppy, baby:Baby, kitten",
     "cradle, basket, bed, box:Kiste, crib",
     "because: be tired = sein müde; but not wanted: sleep = schlafen -; and: cover I up = zu|decken I4 -; "
     "although not: be tired = sein - müde; after had: wash I = waschen I4 -; and: kiss I = küssen I4 -",
     "because: be soft = sein weich; although: be too short = sein zu kurz; although: be far too small = sein viel "
     "zu klein; because: be nice and cosy = sein schön gemütlich; but: be too short = sein zu kurz"),
    ("S", "let A fly over B = lassen A4 - über B4 fliegen",
     "kite, balloon, drone, toy plane, dove, parrot",
     "house, meadow, field, lake, school, castle, beach",
     "until: disappear = verschwinden -; but: crash = ab|stürzen -; and: land in a tree = landen in einem Baum; "
     "but not: come back = zurück|kommen -; so: disappear in the clouds = verschwinden in den Wolken; until: "
     "disappear in the clouds = verschwinden in den Wolken; after had: buy I in town = kaufen I4 in der Stadt",
     "stop: be far from the village = sein weit vom Dorf entfernt; although: be far from the village = sein weit "
     "vom Dorf entfernt"),
    ("S", "take A apart with B = zerlegen A4 - mit B3",
     "clock, radio, bicycle, watch:Uhr, toy, lamp, engine, machine, toaster",
     "screwdriver, knife, tool, wrench, hammer",
     "because not: work = funktionieren -; and could not: put I together again = zusammen|bauen I4 - wieder; "
     "although: be brand new = sein nagelneu; because wanted: repair I = reparieren I4 -; although: work perfectly "
     "= funktionieren tadellos; but could not: put I together again = zusammen|bauen I4 - wieder",
     "because: lie in the toolbox = liegen im Werkzeugkasten; although: be not meant for that = sein nicht dafür "
     "gedacht; and: put I back into the toolbox = legen I4 - zurück in den Werkzeugkasten; after had: borrow I "
     "from the neighbour = leihen I4 vom Nachbarn"),
    ("S", "follow A into B = folgen A3 in B4 -",
     "dog, cat, rabbit, fox, deer, horse, goat, pig",
     "cave, forest, barn, garden, house, tunnel, shed, castle",
     "until: stop = bleiben stehen; but: run too fast = laufen zu schnell; because: limp = hinken -; and: catch I "
     "= fangen I4 -; but could not: catch I = fangen I4 -; because wanted: catch I = fangen I4 -; until could: "
     "catch I = fangen I4 -",
     "although: be dark = sein dunkel; stop: be dark and cold = sein dunkel und kalt; but: be too dark = sein zu "
     "dunkel; although: be dark and damp = sein dunkel und feucht"),
]
