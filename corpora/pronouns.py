"""English sentences with a pronoun, their German, and what the pronoun stands for.

    python -m corpora.pronouns DIR [--n 18000] [--seed 0] [--into FOLDER]

*The goat did not jump over the wall because it was too tired / too high.* English says *it* either way; German has to
know: "weil sie zu müde war" is the goat, "weil sie zu hoch war" is the wall, and where the two nouns differ in gender
the pronouns differ. Every sentence here brings two nouns of different gender and a word that fits one of them alone,
so the right pronoun is known; its twin is the same sentence with that one word changed, and the other noun is meant.

    1  Words         nouns with their gender, adjectives, what else can be a reason, persons
    2  Frames        who does what with what, and which reasons are whose
    3  German        noun phrases, pronouns, and the three orders of a clause
    4  The example   a sentence, its translation, the two nouns, which is meant, and the twin
    5  The speaker   draws examples; what is held out of training
    6  The lexicon   other sentences, with the words that the project's own examples use
    7  Corpus        a folder of parallel text

Held out: one in six pairs of nouns, one in six reasons of a noun, one in six frames (what happens, with its mood and
the way the reason is joined on). A training sentence uses nothing that is held out; a test sentence, all three. Which
they are is fixed by a hash of the words, not by the seed.

    from corpora.pronouns import sample
    for example in sample(300, split="test"):     # each has a twin
        example.english, example.german, example.pronoun, example.meant, example.other, example.twin
"""

from __future__ import annotations

import argparse
import functools
import gzip
import hashlib
import itertools
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

# ─── 1 Words ─────────────────────────────────────────────────────────────────────────────────────────────────────────
# English = German with its article, then the form of accusative and dative where it is another.
NOUNS = {
    "animal": """
        animal = das Tier; dog = der Hund; cat = die Katze; cow = die Kuh; pig = das Schwein; goat = die Ziege;
        fox = der Fuchs; rabbit = das Kaninchen; monkey = der Affe Affen; bear = der Bär Bären; sheep = das Schaf;
        wolf = der Wolf; elephant = der Elefant Elefanten; camel = das Kamel; mouse = die Maus; kitten = das Kätzchen;
        squirrel = das Eichhörnchen; hedgehog = der Igel; turtle = die Schildkröte; crocodile = das Krokodil;
        pony = das Pony; lion = der Löwe Löwen; tiger = der Tiger; calf = das Kalb; lamb = das Lamm; rat = die Ratte;
        horse = das Pferd; donkey = der Esel; frog = der Frosch; duck = die Ente; goose = die Gans""",
    "puller": """
        horse = das Pferd; donkey = der Esel; cow = die Kuh; pony = das Pony; tractor = der Traktor; ox = der Ochse
        Ochsen; camel = das Kamel; elephant = der Elefant Elefanten; goat = die Ziege""",
    "street": """
        street = die Straße; road = die Straße; bridge = die Brücke; square = der Platz; path = der Weg;
        motorway = die Autobahn; market square = der Marktplatz""",
    "field": "field = das Feld; meadow = die Wiese; desert = die Wüste; swamp = der Sumpf; valley = das Tal",
    "water": """
        river = der Fluss; stream = der Bach; lake = der See; canal = der Kanal; pond = der Teich; pool = das Becken;
        bay = die Bucht""",
    "barrier": """
        fence = der Zaun; wall = die Mauer; gate = das Tor; hedge = die Hecke; ditch = der Graben; rock = der Felsen;
        barrier = die Schranke; hurdle = das Hindernis; puddle = die Pfütze""",
    "height": """
        tree = der Baum; hill = der Hügel; mountain = der Berg; ladder = die Leiter; roof = das Dach;
        staircase = die Treppe; tower = der Turm; rock = der Felsen; wall = die Mauer; scaffold = das Gerüst""",
    "slope": """
        hill = der Hügel; mountain = der Berg; street = die Straße; path = der Weg; ramp = die Rampe;
        slope = der Hang""",
    "container": """
        box = die Kiste; bag = die Tasche; suitcase = der Koffer; drawer = die Schublade; cupboard = der Schrank;
        basket = der Korb; sack = der Sack; backpack = der Rucksack; wardrobe = der Kleiderschrank; tin = die Dose;
        envelope = der Umschlag; chest = die Truhe; safe = der Safe; compartment = das Fach; parcel = das Paket;
        bucket = der Eimer; barrel = das Fass; car = das Auto; boat = das Boot; case = das Etui""",
    "closable": """
        box = die Kiste; bag = die Tasche; suitcase = der Koffer; drawer = die Schublade; cupboard = der Schrank;
        backpack = der Rucksack; chest = die Truhe; safe = der Safe; compartment = das Fach; parcel = das Paket;
        case = das Etui; tin = die Dose; wardrobe = der Kleiderschrank; locker = das Schließfach""",
    "vessel": """
        bottle = die Flasche; glass = das Glas; cup = die Tasse; bucket = der Eimer; pot = der Topf; jug = der Krug;
        barrel = das Fass; bowl = die Schüssel; tank = der Tank; pool = das Becken; vase = die Vase;
        watering can = die Gießkanne; mug = der Becher""",
    "piece": """
        book = das Buch; lamp = die Lampe; clock = die Uhr; ball = der Ball; dress = das Kleid; coat = der Mantel;
        picture = das Bild; camera = die Kamera; computer = der Computer; guitar = die Gitarre; violin = die Geige;
        mirror = der Spiegel; pan = die Pfanne; umbrella = der Regenschirm; pullover = der Pullover; doll = die Puppe;
        vase = die Vase; toy = das Spielzeug; map = die Karte; radio = das Radio; blanket = die Decke;
        pillow = das Kissen; hat = der Hut; trophy = der Pokal; statue = die Statue; printer = der Drucker;
        machine = die Maschine; stone = der Stein; drum = die Trommel; knife = das Messer; teddy bear = der Teddybär
        Teddybären; telescope = das Fernrohr""",
    "standing": """
        lamp = die Lampe; clock = die Uhr; vase = die Vase; radio = das Radio; computer = der Computer;
        printer = der Drucker; statue = die Statue; machine = die Maschine; trophy = der Pokal; candle = die Kerze;
        telescope = das Fernrohr; typewriter = die Schreibmaschine; aquarium = das Aquarium""",
    "heavy": """
        cart = der Karren; wagon = der Wagen; car = das Auto; boat = das Boot; sledge = der Schlitten; sack = der Sack;
        box = die Kiste; carriage = die Kutsche; machine = die Maschine; plough = der Pflug; suitcase = der Koffer;
        tree trunk = der Baumstamm; piano = das Klavier; barrel = das Fass""",
    "furniture": """
        sofa = das Sofa; piano = das Klavier; table = der Tisch; bed = das Bett; wardrobe = der Kleiderschrank;
        chest = die Truhe; armchair = der Sessel; bench = die Bank; fridge = der Kühlschrank;
        washing machine = die Waschmaschine; desk = der Schreibtisch; shelf = das Regal""",
    "opening": "door = die Tür; window = das Fenster; corridor = der Flur; gate = das Tor; entrance = der Eingang",
    "surface": """
        table = der Tisch; shelf = das Regal; desk = der Schreibtisch; bench = die Bank; chair = der Stuhl;
        cupboard = der Schrank; bed = das Bett; board = das Brett; chest of drawers = die Kommode; tray = das Tablett""",
    "decoration": """
        picture = das Bild; mirror = der Spiegel; clock = die Uhr; lamp = die Lampe; painting = das Gemälde;
        carpet = der Teppich; photo = das Foto; map = die Karte; poster = das Plakat; calendar = der Kalender""",
    "hook": "hook = der Haken; nail = der Nagel; wall = die Wand; rope = das Seil; chain = die Kette; thread = der Faden",
    "missile": "ball = der Ball; stone = der Stein; hammer = der Hammer; snowball = der Schneeball; apple = der Apfel; "
    "potato = die Kartoffel; nut = die Nuss; coin = die Münze; egg = das Ei; orange = die Orange; tomato = die Tomate",
    "bouncer": "ball = der Ball; stone = der Stein; hammer = der Hammer; nut = die Nuss; coin = die Münze; "
    "bullet = die Kugel; stick = der Stock; hailstone = das Hagelkorn; shell = die Muschel; toy car = das Spielzeugauto",
    "fragile": """
        window = das Fenster; vase = die Vase; mirror = der Spiegel; lamp = die Lampe; bottle = die Flasche;
        glass = das Glas; plate = der Teller; cup = die Tasse; jug = der Krug; bowl = die Schüssel; pot = der Topf;
        egg = das Ei; aquarium = das Aquarium; screen = der Bildschirm; roof tile = der Dachziegel""",
    "round": """
        ball = der Ball; egg = das Ei; apple = der Apfel; orange = die Orange; pencil = der Bleistift; pea = die Erbse;
        coin = die Münze; tomato = die Tomate; potato = die Kartoffel; marble = die Murmel; wheel = das Rad""",
    "vehicle": """
        car = das Auto; bus = der Bus; train = der Zug; truck = der Lastwagen; tractor = der Traktor;
        motorbike = das Motorrad; taxi = das Taxi; tram = die Straßenbahn; bicycle = das Fahrrad;
        carriage = die Kutsche; van = der Lieferwagen; wheelchair = der Rollstuhl; ambulance = der Krankenwagen""",
    "ship": "ship = das Schiff; boat = das Boot; ferry = die Fähre; steamer = der Dampfer; yacht = die Jacht; "
    "sailing boat = das Segelboot; raft = das Floß; tanker = der Tanker; barge = der Kahn",
    "passage": "tunnel = der Tunnel; gate = das Tor; lane = die Gasse; entrance = die Einfahrt; road = die Straße; "
    "gap = die Lücke; passage = der Durchgang",
    "harbour": "harbour = der Hafen; canal = der Kanal; river = der Fluss; bay = die Bucht; lock = die Schleuse; "
    "dock = das Dock",
    "bridge": "bridge = die Brücke; pier = der Steg; plank = das Brett; road = die Straße; dam = der Damm; path = der Weg",
    "food": """
        soup = die Suppe; bread = das Brot; cake = der Kuchen; cheese = der Käse; meat = das Fleisch; fish = der Fisch;
        egg = das Ei; salad = der Salat; sausage = die Wurst; potato = die Kartoffel; rice = der Reis;
        pizza = die Pizza; porridge = der Brei; vegetable = das Gemüse;
        ham = der Schinken; biscuit = der Keks; steak = das Steak; noodle dish = das Nudelgericht""",
    "fruit": """
        apple = der Apfel; pear = die Birne; banana = die Banane; orange = die Orange; carrot = die Karotte;
        strawberry = die Erdbeere; peach = der Pfirsich; melon = die Melone; cherry = die Kirsche; fruit = das Obst;
        cake = der Kuchen; cabbage = der Kohl""",
    "drink": """
        water = das Wasser; milk = die Milch; juice = der Saft; tea = der Tee; coffee = der Kaffee; beer = das Bier;
        wine = der Wein; lemonade = die Limonade; cocoa = der Kakao""",
    "bed": """
        basket = der Korb; bed = das Bett; nest = das Nest; cage = der Käfig; hut = die Hütte; box = die Kiste;
        stable = der Stall; tent = das Zelt; cave = die Höhle; barn = die Scheune; straw = das Stroh;
        hammock = die Hängematte; room = das Zimmer""",
    "building": """
        house = das Haus; church = die Kirche; school = die Schule; castle = das Schloss; tower = der Turm;
        hotel = das Hotel; factory = die Fabrik; shop = der Laden; museum = das Museum; station = der Bahnhof;
        cave = die Höhle; hut = die Hütte; barn = die Scheune; theatre = das Theater; palace = der Palast""",
    "small sight": """
        house = das Haus; hut = die Hütte; car = das Auto; village = das Dorf; church = die Kirche; lake = der See;
        dog = der Hund; sheep = das Schaf; cat = die Katze; garden = der Garten; boat = das Boot; statue = die Statue;
        cow = die Kuh; well = der Brunnen""",
    "screen": """
        tree = der Baum; wall = die Mauer; hedge = die Hecke; tower = der Turm; hill = der Hügel; fence = der Zaun;
        building = das Gebäude; bush = der Busch; truck = der Lastwagen; monument = das Denkmal""",
    "thicket": "hedge = die Hecke; bush = der Busch; forest = der Wald; undergrowth = das Gebüsch; curtain = der Vorhang; "
    "smoke = der Rauch; wood = das Gehölz",
    "machine": """
        machine = die Maschine; vacuum cleaner = der Staubsauger; drum = die Trommel; train = der Zug;
        motorbike = das Motorrad; aeroplane = das Flugzeug; saw = die Säge; tractor = der Traktor; radio = das Radio;
        bell = die Glocke; lawnmower = der Rasenmäher; fireworks display = das Feuerwerk; helicopter = der Hubschrauber""",
    "sight": """
        lamp = die Lampe; picture = das Bild; mirror = der Spiegel; candle = die Kerze; fire = das Feuer;
        butterfly = der Schmetterling; star = der Stern; balloon = der Luftballon; flower = die Blume; ring = der Ring;
        scarf = der Schal; kite = der Drachen; television = der Fernseher; shop window = das Schaufenster""",
    "toy": """
        ball = der Ball; doll = die Puppe; toy = das Spielzeug; balloon = der Luftballon; stick = der Stock;
        bone = der Knochen; rope = das Seil; cushion = das Kissen; ring = der Ring; shoe = der Schuh;
        box = die Schachtel; blanket = die Decke""",
    "text": """
        book = das Buch; letter = der Brief; newspaper = die Zeitung; poem = das Gedicht; story = die Geschichte;
        report = der Bericht; novel = der Roman; fairy tale = das Märchen; magazine = die Zeitschrift;
        article = der Artikel; contract = der Vertrag; diary = das Tagebuch; play = das Theaterstück""",
    "reading place": """
        library = die Bibliothek; room = das Zimmer; garden = der Garten; kitchen = die Küche; park = der Park;
        café = das Café; train = der Zug; office = das Büro; hall = der Saal; waiting room = das Wartezimmer""",
    "clothes": """
        coat = der Mantel; dress = das Kleid; jacket = die Jacke; shirt = das Hemd; skirt = der Rock; hat = der Hut;
        blouse = die Bluse; pullover = der Pullover; cap = die Mütze; scarf = der Schal; jersey = das Trikot;
        glove = der Handschuh""",
    "flat thing": """
        table = der Tisch; window = das Fenster; mirror = der Spiegel; car = das Auto; lamp = die Lampe;
        bicycle = das Fahrrad; floor = der Boden; plate = der Teller; pan = die Pfanne; door = die Tür; wall = die Wand;
        desk = der Schreibtisch; piano = das Klavier; shelf = das Regal""",
    "cloth": """
        cloth = das Tuch; sponge = der Schwamm; towel = das Handtuch; rag = der Lappen; brush = die Bürste;
        handkerchief = das Taschentuch; broom = der Besen; sock = die Socke""",
    "tough thing": """
        bread = das Brot; meat = das Fleisch; rope = das Seil; branch = der Ast; wood = das Holz; cheese = der Käse;
        cake = der Kuchen; cardboard = die Pappe; wire = der Draht; sausage = die Wurst; leather = das Leder;
        carpet = der Teppich; board = das Brett; root = die Wurzel""",
    "blade": "knife = das Messer; saw = die Säge; axe = die Axt; sword = das Schwert; dagger = der Dolch; "
    "blade = die Klinge; razor = der Rasierer; chisel = der Meißel",
    "lockable": """
        door = die Tür; box = die Kiste; gate = das Tor; safe = der Safe; drawer = die Schublade;
        suitcase = der Koffer; window = das Fenster; cupboard = der Schrank; lock = das Schloss; tin = die Dose""",
    "tool": "key = der Schlüssel; knife = das Messer; wire = der Draht; hammer = der Hammer; needle = die Nadel; "
    "screwdriver = der Schraubenzieher; tool = das Werkzeug; wrench = die Zange; fork = die Gabel",
    "board": """
        company = die Firma; bank = die Bank; court = das Gericht; committee = der Ausschuss;
        ministry = das Ministerium; government = die Regierung; university = die Universität;
        parliament = das Parlament; club = der Verein; office = das Amt; team = die Mannschaft; council = der Rat""",
    "proposal": """
        application = der Antrag; plan = der Plan; law = das Gesetz; proposal = der Vorschlag; idea = die Idee;
        request = die Bitte; offer = das Angebot; contract = der Vertrag; project = das Projekt; demand = die Forderung;
        report = der Bericht; programme = das Programm; reform = die Reform; opinion = die Meinung;
        rule = die Regel; procedure = das Verfahren; registration = die Anmeldung""",
    "lesson": """
        rule = die Regel; law = das Gesetz; sentence = der Satz; word = das Wort; problem = das Problem;
        exercise = die Übung; question = die Frage; text = der Text; process = der Vorgang; method = die Methode;
        topic = das Thema; poem = das Gedicht""",
    "means": """
        picture = das Bild; example = das Beispiel; drawing = die Zeichnung; story = die Geschichte; film = der Film;
        comparison = der Vergleich; map = die Karte; game = das Spiel; model = das Modell; song = das Lied""",
    "plant": """
        flower = die Blume; plant = die Pflanze; tree = der Baum; bush = der Busch; rose = die Rose;
        grass = das Gras; cactus = der Kaktus; wheat = der Weizen; vegetable = das Gemüse""",
    "ground": """
        garden = der Garten; pot = der Topf; flower bed = das Beet; field = das Feld; forest = der Wald;
        meadow = die Wiese; valley = das Tal; park = der Park; greenhouse = das Gewächshaus""",
    "goods": """
        car = das Auto; bicycle = das Fahrrad; lamp = die Lampe; computer = der Computer; camera = die Kamera;
        guitar = die Gitarre; piano = das Klavier; sofa = das Sofa; table = der Tisch; phone = das Telefon;
        watch = die Uhr; boat = das Boot; house = das Haus; printer = der Drucker; fridge = der Kühlschrank;
        motorbike = das Motorrad; tent = das Zelt; coat = der Mantel; violin = die Geige; flat = die Wohnung;
        oven = der Ofen; machine = die Maschine; television = der Fernseher; umbrella = der Regenschirm""",
    "device": """
        computer = der Computer; camera = die Kamera; phone = das Telefon; watch = die Uhr; printer = der Drucker;
        radio = das Radio; lamp = die Lampe; television = der Fernseher; washing machine = die Waschmaschine;
        oven = der Ofen; fridge = der Kühlschrank; telescope = das Fernrohr; navigation device = das Navigationsgerät""",
    "instrument": """
        guitar = die Gitarre; violin = die Geige; piano = das Klavier; flute = die Flöte; trumpet = die Trompete;
        cello = das Cello; saxophone = das Saxofon; drum = die Trommel; grand piano = der Flügel;
        double bass = der Kontrabass; accordion = das Akkordeon""",
    "hunter": """
        cat = die Katze; dog = der Hund; fox = der Fuchs; lion = der Löwe Löwen; tiger = der Tiger; wolf = der Wolf;
        crocodile = das Krokodil; owl = die Eule; snake = die Schlange; eagle = der Adler; kitten = das Kätzchen;
        animal = das Tier""",
    "prey": """
        mouse = die Maus; rabbit = das Kaninchen; bird = der Vogel; fly = die Fliege; butterfly = der Schmetterling;
        fish = der Fisch; chick = das Küken; hare = der Hase Hasen; deer = das Reh; duck = die Ente; hen = die Henne;
        squirrel = das Eichhörnchen; frog = der Frosch""",
    "flyer": """
        bird = der Vogel; parrot = der Papagei; owl = die Eule; pigeon = die Taube; chick = das Küken;
        bee = die Biene; budgie = der Wellensittich; fly = die Fliege; hen = die Henne; chicken = das Huhn""",
    "cage": "cage = der Käfig; house = das Haus; nest = das Nest; room = das Zimmer; stable = der Stall; "
    "barn = die Scheune; box = die Kiste; hut = die Hütte",
    "crane": "crane = der Kran; machine = die Maschine; forklift = der Gabelstapler; excavator = der Bagger; "
    "robot = der Roboter; vehicle = das Fahrzeug; winch = die Winde; tractor = der Traktor",
    "valuable": """
        ring = der Ring; letter = der Brief; map = die Karte; book = das Buch; camera = die Kamera;
        phone = das Telefon; picture = das Bild; key = der Schlüssel; necklace = die Kette; photo = das Foto;
        ticket = die Fahrkarte; passport = der Pass; medal = die Medaille; certificate = das Zeugnis""",
}

# English = German; "!" has no degrees.
ADJECTIVES = """
    tired = müde; weak = schwach; ill = krank!; scared = ängstlich; nervous = nervös; lazy = faul; shy = scheu;
    hungry = hungrig; thirsty = durstig; exhausted = erschöpft!; sleepy = schläfrig; fat = dick; full = satt;
    greedy = gierig; curious = neugierig; young = jung; slow = langsam; fast = schnell; brave = mutig; strong = stark;
    wild = wild; angry = wütend; impatient = ungeduldig; injured = verletzt!; playful = verspielt; bored = gelangweilt!;
    clever = klug; old = alt; wide = breit; busy = belebt; slippery = glatt; long = lang; deep = tief; muddy = schlammig;
    narrow = schmal; steep = steil; icy = vereist!; high = hoch; dirty = schmutzig; shallow = flach; rocky = steinig;
    salty = salzig; sour = sauer; bitter = bitter; hard = hart; stale = altbacken!; mouldy = schimmelig; burnt =
    angebrannt!; hot = heiß; spicy = scharf; dry = trocken; raw = roh!; sweet = süß; juicy = saftig; ripe = reif!;
    delicious = lecker; fresh = frisch; rotten = faul!; fatty = fettig; heavy = schwer; big = groß; small = klein;
    thick = dick; crowded = voll; thin = dünn; damp = feucht; loose = locker; wobbly = wackelig; round = rund!;
    sloping = schief; smooth = glatt; low = niedrig; soft = weich; warm = warm; comfortable = bequem; cosy = gemütlich;
    tall = hoch; dense = dicht; loud = laut; bright = hell; colourful = bunt; shiny = glänzend; beautiful = schön;
    light = leicht; interesting = interessant; exciting = spannend; funny = lustig; boring = langweilig; quiet = ruhig;
    peaceful = friedlich; clean = sauber; tough = zäh; blunt = stumpf; jammed = verklemmt!; rusty = rostig; bent =
    verbogen!; locked = verschlossen!; strict = streng; cautious = vorsichtig; poor = arm; incomplete = unvollständig!;
    expensive = teuer; unclear = unklar; wrong = falsch!; complicated = kompliziert; unfair = ungerecht; generous =
    großzügig; convincing = überzeugend; good = gut; difficult = schwierig; simple = einfach; vivid = anschaulich;
    shady = schattig; broken = kaputt!; ugly = hässlich; cheap = billig; modern = modern; practical = praktisch; new =
    neu!; valuable = wertvoll; empty = leer!; open = offen!; torn = zerrissen!; wet = nass; famous = berühmt; important =
    wichtig; conservative = konservativ; undecided = unentschlossen!; desperate = verzweifelt; reasonable = vernünftig;
    fair = gerecht; risky = riskant; useful = nützlich; unknown = unbekannt!; elegant = elegant; old-fashioned =
    altmodisch; stiff = steif; frozen = zugefroren!; stuffy = stickig; large = groß; short = kurz; fragile = zerbrechlich;
    unstable = instabil; poisonous = giftig; careless = unvorsichtig; rough = stürmisch; sharp = scharf
"""

# English of today | of the past = the German behind (or, in a main clause, after) the verb | verb today | in the past.
PHRASES = """
    wants to sleep | wanted to sleep = schlafen | will | wollte;
    needs a rest | needed a rest = eine Pause | braucht | brauchte;
    feels ill | felt ill = sich krank | fühlt | fühlte;
    has a sore foot | had a sore foot = einen wunden Fuß | hat | hatte;
    is afraid | was afraid = Angst | hat | hatte;
    smells bad | smelled bad = schlecht | riecht | roch;
    costs too much | cost too much = zu viel | kostet | kostete;
    does not work | did not work = nicht | funktioniert | funktionierte;
    makes too much noise | made too much noise = zu viel Lärm | macht | machte;
    has a hole | had a hole = ein Loch | hat | hatte;
    weighs too much | weighed too much = zu viel | wiegt | wog;
    tastes good | tasted good = gut | schmeckt | schmeckte;
    tastes awful | tasted awful = scheußlich | schmeckt | schmeckte
"""

# English = German, then the person of the verb: 1 ich, 4 wir, 3 all others
PERSONS = """
    I = ich 1; we = wir 4; Tom = Tom 3; Mary = Maria 3; the woman = die Frau 3; the man = der Mann 3; the teacher = der
    Lehrer 3; the student = der Student 3; my father = mein Vater 3; my sister = meine Schwester 3; the boy = der Junge 3;
    our neighbour = unser Nachbar 3; the farmer = der Bauer 3; my aunt = meine Tante 3; the old man = der alte Mann 3;
    the doctor = der Arzt 3; her brother = ihr Bruder 3; the girl = das Mädchen 3; the workers = die Arbeiter 4
"""
LOOKS = {  # adjectives that say nothing about the reason
    "animal": "brown = braun; black = schwarz; white = weiß; grey = grau; little = klein; stray = streunend",
    "thing": "red = rot; blue = blau; green = grün; black = schwarz; white = weiß; brown = braun; yellow = gelb",
}
MOODS = {"not": 5, "could": 5, "wanted": 2, "although": 3, "did": 6}  # how often, where the frame knows them


@dataclass(frozen=True)
class Noun:
    """A noun in the singular: its gender is m, f or n; `oblique` is its form in accusative and dative."""

    english: str
    german: str
    oblique: str
    gender: str
    kind: str


@dataclass(frozen=True)
class Reason:
    """What is said of *it*: by a form of *be* (an adjective) or a verb of its own (a phrase)."""

    english: tuple[str, str]  # of today, of the past
    german: str
    verbs: tuple[str, str] = ("ist", "war")
    gradable: bool = False
    is_adjective: bool = True

    @property
    def word(self) -> str:
        return self.english[0]


@dataclass(frozen=True)
class Person:
    english: str
    german: str
    number: int


def entries(table: str) -> list[list[str]]:
    """"a = b; c = d" as [[a, b], [c, d]]."""
    return [[" ".join(side.split()) for side in entry.split("=")] for entry in table.split(";") if entry.strip()]


@functools.cache
def nouns(kind: str) -> tuple[Noun, ...]:
    read = []
    for english, german in entries(NOUNS[kind]):
        article, *forms = german.split()
        gender = {"der": "m", "die": "f", "das": "n"}[article]
        read.append(Noun(english, forms[0], forms[-1], gender, kind))
    return tuple(read)


@functools.cache
def reasons() -> dict[str, Reason]:
    """All of them, by their English word, or the phrase of today."""
    read = {}
    for english, german in entries(ADJECTIVES):
        read[english] = Reason((english, english), german.rstrip("!"), gradable=not german.endswith("!"))
    for english, german in entries(PHRASES):
        today, past = (form.strip() for form in english.split("|"))
        rest, *verbs = (form.strip() for form in german.split("|"))
        read[today] = Reason((today, past), rest, (verbs[0], verbs[1]), is_adjective=False)
    return read


@functools.cache
def persons() -> tuple[Person, ...]:
    return tuple(Person(english, german[:-2], int(german[-1])) for english, german in entries(PERSONS))


# ─── 2 Frames ────────────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Event:
    """What happens, or does not: A and B are nouns, S a person; a number is the case (3 dative, 4 accusative).

    english: verb (bare, of today, past) and the words behind. german: verb (infinitive, today, past; "an|sehen" is
    separable) and the words behind, where "-" is the place of *nicht*. a, b: reasons that fit this noun, by kind.
    """

    name: str
    subject: str
    english: str
    german: str
    moods: str
    a: dict[str, str]
    b: dict[str, str]
    degree: str = "too"  # for moods that say no; others have "very"


def event(name: str, subject: str, english: str, german: str, moods: str, a: str, b: str = "") -> Event:
    def split(table: str) -> dict[str, str]:
        rows = (row.partition(":") for row in table.split(";") if row.strip())
        return {" ".join(kind.split()): words for kind, _, words in rows}

    return Event(name, subject, english, german, moods, split(a), split(b))


TIRED = "tired, weak, ill, exhausted, lazy, sleepy, nervous, injured, scared, wants to sleep, needs a rest, feels ill"
KEEN = "hungry, greedy, impatient"
NO = "not could wanted although"
SHABBY = ("vehicle: broken, old, rusty, ugly, slow, does not work, makes too much noise; device: broken, old, ugly, slow, "
          "old-fashioned, does not work; furniture: broken, ugly, old, wobbly, old-fashioned; "
          "instrument: broken, old, ugly; clothes: torn, ugly, old, old-fashioned, has a hole")  # fmt: skip
SPLENDID = ("vehicle: cheap, modern, practical, fast, beautiful, useful; device: cheap, modern, practical, beautiful, "
            "useful; furniture: cheap, modern, comfortable, elegant, practical; instrument: cheap, beautiful, light; "
            "clothes: cheap, elegant, beautiful, warm, practical")  # fmt: skip
EVENTS = [
    event("cross", "A", "cross crosses crossed: B", "überqueren überquert überquerte: B4 -", NO,
          f"animal: {TIRED}, slow, has a sore foot",
          "street: wide, busy, slippery, long, icy; field: muddy, wide, large; water: wide, deep"),
    event("walk across", "A", "walk walks walked: across B", "gehen geht ging: - über B4", NO,
          f"animal: {TIRED}, slow, has a sore foot", "street: wide, busy, slippery, icy; bridge: narrow, slippery, icy"),
    event("jump over", "A", "jump jumps jumped: over B", "springen springt sprang: - über B4", NO,
          f"animal: {TIRED}, fat", "barrier: high, wide; water: wide, deep"),
    event("climb", "A", "climb climbs climbed: up B", "klettern klettert kletterte: - auf B4", NO,
          f"animal: {TIRED}, fat", "height: high, steep, slippery, icy, unstable"),
    event("swim across", "A", "swim swims swam: across B", "schwimmen schwimmt schwamm: - durch B4", NO,
          f"animal: {TIRED}, has a sore foot", "water: wide, deep, dirty, muddy, rocky"),
    event("drink", "A", "drink drinks drank: B", "trinken trinkt trank: B4 -", NO,
          "animal: tired, ill, shy, nervous, sleepy, scared, injured, feels ill, wants to sleep",
          "drink: hot, sour, bitter, salty, sweet, dirty, smells bad, tastes awful"),
    event("eat", "A", "eat eats ate: B", "fressen frisst fraß: B4 -", NO,
          "animal: tired, ill, full, nervous, shy, sleepy, scared, feels ill, wants to sleep",
          "food: salty, burnt, hard, dry, mouldy, spicy, fatty, raw, rotten, smells bad, tastes awful; "
          "fruit: sour, hard, bitter, rotten, mouldy, poisonous"),
    event("eat gladly", "A", "eat eats ate: B", "fressen frisst fraß: B4", "did", f"animal: {KEEN}",
          "food: delicious, fresh, tastes good; fruit: sweet, juicy, ripe, delicious, fresh, tastes good"),
    event("bite into", "A", "bite bites bit: into B", "beißen beißt biss: in B4", "did", f"animal: {KEEN}, angry",
          "fruit: sweet, juicy, ripe, delicious, fresh; food: delicious, fresh"),
    event("drink gladly", "A", "drink drinks drank: B", "trinken trinkt trank: B4", "did", "animal: thirsty, greedy",
          "drink: fresh, sweet, delicious, warm, tastes good"),
    event("sleep in", "A", "sleep sleeps slept: in B", "schlafen schläft schlief: - in B3", "not could wanted",
          "animal: nervous, hungry, scared, thirsty, playful, is afraid",
          "bed: small, narrow, hard, damp, dirty, smells bad, has a hole"),
    event("lie down in", "A", "sleep sleeps slept: in B", "schlafen schläft schlief: in B3", "did",
          "animal: tired, exhausted, ill, sleepy, weak", "bed: soft, warm, comfortable, cosy, dry, clean"),
    event("go into", "A", "go goes went: into B", "gehen geht ging: - in B4", "not wanted although",
          "animal: shy, nervous, scared, dirty, wild, is afraid", "building: narrow, damp, stuffy, loud"),
    event("pull", "A", "pull pulls pulled: B", "ziehen zieht zog: B4 -", NO.replace(" wanted", ""),
          "puller: weak, small, old", "heavy: heavy, rusty, weighs too much"),
    event("carry", "A", "carry carries carried: B", "tragen trägt trug: B4 -", NO, f"animal: {TIRED}, small",
          "heavy: heavy, weighs too much; container: heavy, weighs too much"),
    event("play with", "A", "play plays played: with B", "spielen spielt spielte: - mit B3", "not wanted",
          "animal: tired, lazy, ill, sleepy, exhausted, injured, hungry, wants to sleep, feels ill",
          "toy: heavy, hard, dirty, boring, has a hole, smells bad"),
    event("play gladly", "A", "play plays played: with B", "spielen spielt spielte: mit B3", "did",
          "animal: bored, playful, young, clever", "toy: soft, colourful, new, light, interesting"),
    event("look at", "A", "look looks looked: at B", "an|sehen sieht sah: B4", "did",
          "animal: curious, bored, clever, hungry", "sight: bright, colourful, shiny, new, beautiful"),
    event("run away", "A", "run runs ran: away from B", "weg|laufen läuft lief: vor B3", "did",
          "animal: shy, nervous, scared, young, is afraid", "machine: loud, makes too much noise"),
    event("follow", "A", "follow follows followed: B", "folgen folgt folgte: B3 -", "could",
          f"animal: {TIRED}, slow, old, fat", "vehicle: fast"),
    event("fit", "A", "fit fits fit: into B", "passen passt passte: - in B4", "not",
          "piece: big, long, wide, thick, large, high; furniture: big, long, wide, large, high",
          "container: small, narrow, crowded; opening: small, narrow, low; building: small, low"),
    event("fit easily", "A", "fit fits fit: into B", "passen passt passte: in B4", "did", "piece: small, thin, short",
          "container: big, wide, deep, empty, large"),
    event("put into", "S", "put puts put: A into B", "stecken steckt steckte: A4 - in B4", "not could",
          "piece: big, long, wide, thick, large, dirty, wet; clothes: dirty, wet, long; valuable: big, important, fragile",
          "container: small, narrow, crowded, locked"),
    event("put on", "S", "put puts put: A on B", "stellen stellt stellte: A4 - auf B4", "not could",
          "standing: heavy, wet, large, weighs too much; vessel: heavy, hot, wet, weighs too much",
          "surface: wobbly, small, sloping, narrow, unstable"),
    event("hang on", "S", "hang hangs hung: A on B", "hängen hängt hängte: A4 - an B4", "not could",
          "decoration: heavy, big, large, ugly, weighs too much", "hook: loose, thin, weak, rusty, short"),
    event("lift onto", "S", "lift lifts lifted: A onto B", "heben hebt hob: A4 - auf B4", "not could although",
          "container: heavy, weighs too much; furniture: heavy, weighs too much; heavy: heavy, weighs too much",
          "surface: high, unstable; barrier: high; vehicle: high"),
    event("carry through", "S", "carry carries carried: A through B", "tragen trägt trug: A4 - durch B4", "could not",
          "furniture: big, wide, long, large, heavy, weighs too much", "opening: small, narrow, low; passage: narrow, low"),
    event("drive through", "A", "drive drives drove: through B", "fahren fährt fuhr: - durch B4", "not could",
          "vehicle: wide, big, high, large", "passage: narrow, low, steep, icy"),
    event("drive across", "A", "drive drives drove: across B", "fahren fährt fuhr: - über B4", "not could although",
          "vehicle: heavy, wide, large, weighs too much", "bridge: narrow, weak, thin, slippery, icy, unstable"),
    event("drive up", "A", "drive drives drove: up B", "hinauf|fahren fährt fuhr: B4 -", "could",
          "vehicle: slow, heavy, weak, broken, old, does not work", "slope: steep, slippery, icy, muddy"),
    event("enter", "A", "enter enters entered: B", "fahren fährt fuhr: - in B4", "not could",
          "ship: big, large, wide, long, heavy", "harbour: shallow, small, narrow, icy"),
    event("see behind", "S", "see sees saw: A behind B", "sehen sieht sah: A4 hinter B3 -", "could not",
          "small sight: small, low", "screen: tall, wide, high; thicket: dense, thick, high"),
    event("sell and buy", "S", "sell sells sold: A and bought B", "verkaufen verkauft verkaufte: A4 und kaufte_ B4", "bought",
          SHABBY, SPLENDID),
    event("exchange", "S", "exchange exchanges exchanged: A for B", "tauschen tauscht tauschte: A4 gegen B4", "did",
          SHABBY, SPLENDID),
    event("replace", "S", "replace replaces replaced: A with B", "ersetzen ersetzt ersetzte: A4 durch B4", "did",
          SHABBY, SPLENDID),
    event("wipe", "S", "clean cleans cleaned: A with B", "putzen putzt putzte: A4 mit B3", "did",
          "flat thing: dirty, muddy, valuable, important", "cloth: soft, clean, damp, fresh, new"),
    event("wipe not", "S", "clean cleans cleaned: A with B", "putzen putzt putzte: A4 - mit B3", "not wanted",
          "flat thing: hot, fragile, valuable", "cloth: dirty, torn, small, has a hole, smells bad"),
    event("cut", "S", "cut cuts cut: A with B", "schneiden schneidet schnitt: A4 - mit B3", "could not",
          "tough thing: hard, tough, thick", "blade: blunt, rusty, small, bent, broken"),
    event("open", "S", "open opens opened: A with B", "öffnen öffnet öffnete: A4 - mit B3", "could",
          "lockable: jammed, locked, rusty", "tool: bent, small, thin, thick, short"),
    event("read in", "S", "read reads read: A in B", "lesen liest las: A4 in B3", "did",
          "text: interesting, exciting, funny, famous, important", "reading place: quiet, bright, comfortable, cosy, peaceful"),
    event("read not", "S", "read reads read: A in B", "lesen liest las: A4 - in B3", "not could wanted",
          "text: boring, long, complicated, difficult", "reading place: loud, crowded, stuffy"),
    event("reject", "A", "reject rejects rejected: B", "ab|lehnen lehnt lehnte: B4", "did",
          "board: strict, cautious, poor, conservative", "proposal: incomplete, expensive, unclear, wrong, complicated, unfair, risky"),
    event("accept", "A", "accept accepts accepted: B", "an|nehmen nimmt nahm: B4", "did",
          "board: generous, desperate, curious", "proposal: convincing, good, reasonable, fair, useful, simple, cheap"),
    event("accept not", "A", "accept accepts accepted: B", "an|nehmen nimmt nahm: B4 -", "not could wanted",
          "board: strict, cautious, poor, conservative, undecided", "proposal: incomplete, expensive, unclear, wrong, complicated, unfair, risky, long"),
    event("explain with", "S", "explain explains explained: A with B", "erklären erklärt erklärte: A4 mit B3", "did",
          "lesson: difficult, complicated, important, unclear, unknown", "means: simple, vivid, funny, beautiful, short"),
    event("grow in", "A", "grow grows grew: in B", "wachsen wächst wuchs: - in B3", "not could",
          "plant: weak, ill, young", "ground: shady, small, rocky, dry, narrow"),
    event("break", "A", "break breaks broke: B", "zerbrechen zerbricht zerbrach: B4", "did",
          "bouncer: heavy, hard, fast", "fragile: fragile, thin"),
    event("catch", "A", "catch catches caught: B", "fangen fängt fing: B4 -", "could not",
          f"hunter: {TIRED}, slow, old, fat", "prey: fast, clever"),
    event("catch gladly", "A", "catch catches caught: B", "fangen fängt fing: B4", "did",
          f"hunter: {KEEN}, thirsty", "prey: slow, weak, careless, injured"),
    event("fly out of", "A", "fly flies flew: out of B", "fliegen fliegt flog: aus B3", "did",
          "flyer: scared, hungry, bored, curious, nervous, is afraid", "cage: open, narrow, dirty, damp"),
    event("fall off", "A", "fall falls fell: off B", "fallen fällt fiel: von B3", "did",
          "standing: heavy, unstable; vessel: heavy", "surface: sloping, wobbly, smooth, slippery"),
    event("fit through", "A", "fit fits fit: through B", "passen passt passte: - durch B4", "not",
          "animal: fat, big, large; vehicle: wide, big, large", "opening: narrow, small, low; passage: narrow"),
    event("lift", "A", "lift lifts lifted: B", "heben hebt hob: B4 -", "could not although",
          "crane: weak, small, old, broken", "heavy: heavy, weighs too much; furniture: heavy"),
    event("sink in", "A", "sink sinks sank: in B", "sinken sinkt sank: in B3", "did",
          "ship: old, heavy, rusty, has a hole, weighs too much", "water: deep, rough"),
    event("hide in", "S", "hide hides hid: A in B", "verstecken versteckt versteckte: A4 in B3", "did",
          "valuable: valuable, important, expensive, fragile", "container: empty, deep, open"),
    event("roll off", "A", "roll rolls rolled: off B", "rollen rollt rollte: von B3", "did", "round: round",
          "surface: sloping, wobbly, smooth, slippery"),
    # one noun alone: the pronoun agrees, and there is nothing to choose
    event("buy", "S", "buy buys bought: A", "kaufen kauft kaufte: A4", "did",
          "goods: cheap, modern, practical, beautiful, elegant, useful, new; clothes: elegant, beautiful, cheap, warm; "
          "piece: beautiful, cheap, useful; text: interesting, exciting, famous, cheap; furniture: comfortable, cheap, beautiful"),
    event("not buy", "S", "buy buys bought: A", "kaufen kauft kaufte: A4 -", "not could wanted although",
          "goods: expensive, ugly, old, heavy, costs too much; clothes: expensive, long, short, ugly, costs too much; "
          "vehicle: expensive, loud, slow, old; valuable: expensive, ugly; building: expensive, old, damp, dirty"),
    event("sell", "S", "sell sells sold: A", "verkaufen verkauft verkaufte: A4", "did",
          "goods: old, ugly, broken, heavy, loud; vehicle: old, slow, rusty; furniture: old, ugly, heavy, wobbly; "
          "ship: old, slow, expensive; puller: old, slow, weak"),
    event("throw away", "S", "throw throws threw: A away", "weg|werfen wirft warf: A4", "did",
          "vessel: broken, old, ugly, dirty, has a hole; fruit: rotten, mouldy, bitter; clothes: torn, old, dirty, ugly, "
          "has a hole; food: burnt, mouldy, rotten, smells bad; blade: blunt, rusty; piece: broken, old, ugly"),
    event("wash", "S", "wash washes washed: A", "waschen wäscht wusch: A4", "did",
          "clothes: dirty, muddy, smells bad; fruit: dirty; animal: dirty; vehicle: dirty, muddy"),
    event("repair", "S", "repair repairs repaired: A", "reparieren repariert reparierte: A4", "did",
          "vehicle: broken, old, useful, important; machine: broken, important; furniture: broken, wobbly, valuable; "
          "lockable: broken, jammed; barrier: broken, old"),
    event("like", "S", "like likes liked: A", "mögen mag mochte: A4", "did",
          "animal: clever, brave, playful, young, beautiful; text: funny, exciting, short; street: quiet; "
          "building: old, beautiful, famous, quiet; decoration: beautiful, colourful, old; drink: sweet, warm"),
    event("not like", "S", "like likes liked: A", "mögen mag mochte: A4 -", "not",
          "text: boring, long, complicated; food: salty, fatty, spicy, dry; drink: bitter, sweet, sour; "
          "building: ugly, loud, stuffy; lesson: difficult, boring, complicated; proposal: unfair, expensive, risky"),
    event("fear", "S", "fear fears feared: A", "fürchten fürchtet fürchtete: A4", "did",
          "animal: wild, strong, angry, fast; machine: loud; passage: narrow, steep; board: strict"),
]


# ─── 3 German ────────────────────────────────────────────────────────────────────────────────────────────────────────
CASES = {"1": 0, "4": 1, "3": 2}
THE = {"m": "der den dem", "f": "die die der", "n": "das das dem"}
THIS = {"m": "dieser diesen diesem", "f": "diese diese dieser", "n": "dieses dieses diesem"}
MY = {"m": "mein meinen meinem", "f": "meine meine meiner", "n": "mein mein meinem"}
OUR = {"m": "unser unseren unserem", "f": "unsere unsere unserer", "n": "unser unser unserem"}
DETERMINERS = {"the": THE, "this": THIS, "my": MY, "our": OUR}
IT = {"m": "er ihn ihm", "f": "sie sie ihr", "n": "es es ihm"}
ENDINGS = {"m": "e en en", "f": "e e en", "n": "e e en"}  # of an adjective behind the or this
MIXED = {"m": "er en en", "f": "e e en", "n": "es es en"}  # behind my or our
CONTRACTED = {"in dem": "im", "an dem": "am", "von dem": "vom", "in das": "ins", "an das": "ans"}


def form(table: dict[str, str], gender: str, case: str) -> str:
    return table[gender].split()[CASES[case]]


@dataclass(frozen=True)
class Phrase:
    """A noun with its determiner and perhaps an adjective, (English, German)."""

    noun: Noun
    determiner: str = "the"
    look: tuple[str, str] | None = None

    @property
    def english(self) -> str:
        return " ".join([self.determiner, *([self.look[0]] if self.look else []), self.noun.english])

    def german(self, case: str) -> str:
        gender = self.noun.gender
        words = [form(DETERMINERS[self.determiner], gender, case)]
        if self.look:
            endings = MIXED if self.determiner in ("my", "our") else ENDINGS
            words.append(self.look[1] + form(endings, gender, case))
        return " ".join([*words, self.noun.german if case == "1" else self.noun.oblique])


@dataclass(frozen=True)
class Clause:
    """A German clause before its order: subject, finite verb, the middle, and what stands at the end."""

    subject: str
    finite: str
    middle: str
    end: str = ""
    joined: bool = False  # the end is a particle, written as one word with a verb that stands behind it

    def main(self) -> str:
        return joined(self.subject, self.finite, self.middle, self.end)

    def inverted(self) -> str:
        return joined(self.finite, self.subject, self.middle, self.end)

    def subordinate(self) -> str:
        last = self.end + self.finite if self.joined else joined(self.end, self.finite)
        return joined(self.subject, self.middle, last)


def joined(*words: str) -> str:
    return " ".join(word for word in words if word)


def finished(german: str) -> str:
    """Prepositions and articles drawn together, the first letter a capital."""
    for two, one in CONTRACTED.items():
        german = re.sub(rf"\b{two}\b", one, german)
    return capital(german)


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def plural(verb: str) -> str:
    """The past of wir and sie, from that of er."""
    return verb + ("n" if verb.endswith("e") else "en")


# ─── 4 The example ───────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Example:
    """A sentence with *it*, its translation, and the truth about both.

    meant, other: what *it* stands for, and the noun it might have stood for (None: there is but one). pronoun: the
    German one. reason: the English word that decides. frame: what happens, its mood, and how the reason is joined on.
    twin: the same sentence with that one word changed, so that the other noun is meant; None where there is none.
    """

    english: str
    german: str
    meant: Noun
    other: Noun | None
    pronoun: str
    reason: str
    frame: str
    twin: Example | None = None

    @property
    def keys(self) -> tuple[str, str, str]:
        """What may be held out: the pair of nouns, the reason with its noun, the frame."""
        reason = f"reason {self.reason} {self.meant.english}"
        return pair_key(self.meant, self.other or self.meant), reason, f"frame {self.frame}"


def pair_key(one: Noun, two: Noun) -> str:
    return f"pair {sorted([one.english, two.english])}"


def reason_key(reason: Reason, noun: Noun) -> str:
    return f"reason {reason.word} {noun.english}"


@functools.cache
def is_held_out(key: str) -> bool:
    """One key in six, by its own hash."""
    return hashlib.sha256(key.encode()).digest()[0] % 6 == 0


JOINTS = {  # of main clause and reason: how often
    "because": 7, "as": 2, "since": 1, "for": 2, "full stop": 2, "because first": 1, "as first": 1, "so that": 3, "said": 1,
}  # fmt: skip
CONCESSIONS = {"although": 3, "even though": 1, "although first": 1}
OPENERS = (
    ("yesterday", "gestern", 1), ("this morning", "heute Morgen", 1), ("last night", "gestern Abend", 1),
    ("that day", "an diesem Tag", 1), ("today", "heute", 0), ("in the end", "am Ende", 1), ("at first", "zuerst", 1),
)  # fmt: skip
SAID = (
    ("Tom said that", "Tom sagte, dass"), ("I think that", "Ich glaube, dass"), ("we know that", "wir wissen, dass"),
    ("Mary told me that", "Maria sagte mir, dass"), ("I heard that", "ich habe gehört, dass"),
)  # fmt: skip
DEGREES = {"too": "zu", "very": "sehr", "so": "so", "": ""}


@dataclass(frozen=True)
class Plan:
    """All that was drawn for one sentence; `example` says it."""

    event: Event
    mood: str
    joint: str
    past: bool
    a: Phrase
    b: Phrase | None
    person: Person | None
    meant_a: bool
    reason: Reason
    degree: str
    opener: tuple[str, str] | None = None
    said: tuple[str, str] | None = None
    short: bool = False  # didn't, it's

    @property
    def frame(self) -> str:
        return f"{self.event.name} | {self.mood} | {self.joint}"

    @property
    def meant(self) -> Phrase:
        return self.a if self.meant_a or self.b is None else self.b

    def english_clause(self, it: Phrase | None = None) -> str:
        """The main clause; `it` says which noun is to be *it*."""
        forms, _, rest = self.event.english.partition(": ")
        bare, today, past = forms.split()
        plural_today = self.person is not None and self.person.number != 3
        do = "did" if self.past else "do" if plural_today else "does"
        can = "could" if self.past else "cannot"
        verb = {
            "not": f"{do}n't {bare}" if self.short else f"{do} not {bare}",
            "could": f"{can}n't {bare}" if self.short and self.past else f"{can.replace('could', 'could not')} {bare}",
            "wanted": f"{do}n't want to {bare}" if self.short else f"{do} not want to {bare}",
        }.get(self.mood, past if self.past else bare if plural_today else today)
        subject = self.person.english if self.person else "it" if it is self.a else self.a.english
        for slot, phrase in (("A", self.a), ("B", self.b)):
            if phrase is not None:
                rest = re.sub(rf"\b{slot}\b", "it" if phrase is it else phrase.english, rest)
        return joined(subject, verb, rest)

    def german_clause(self, it: Phrase | None = None) -> Clause:
        forms, _, middle = self.event.german.partition(": ")
        infinitive, today, past = forms.split()
        particle, bar, infinitive = infinitive.rpartition("|")
        number = self.person.number if self.person else 3
        if self.mood in ("could", "wanted"):
            modal = {"could": ("kann", "konnte"), "wanted": ("will", "wollte")}[self.mood][self.past]
            finite = {"kann": "können", "will": "wollen"}.get(modal, plural(modal)) if number == 4 else modal
            end, one_word = particle + infinitive, False
        else:
            finite = plural(past) if number == 4 else past
            finite, end, one_word = finite if self.past else today, particle, bool(bar)
        for slot, phrase in (("A", self.a), ("B", self.b)):
            if phrase is not None:
                pronouns = IT[phrase.noun.gender].split()
                middle = re.sub(
                    rf"\b{slot}([34])",
                    lambda found, p=phrase, q=pronouns: q[CASES[found[1]]] if p is it else p.german(found[1]),
                    middle,
                )
        middle = middle.replace("kaufte_", "kauften" if number == 4 else "kaufte")
        negated = "nicht" if self.mood in ("not", "could", "wanted") else ""
        middle = joined(*(negated if word == "-" else word for word in middle.split(" ")))
        subject = IT[self.a.noun.gender].split()[0] if it is self.a else self.a.german("1")
        return Clause(self.person.german if self.person else subject, finite, middle, end, one_word)

    def said_of(self, subject: tuple[str, str]) -> tuple[str, Clause]:
        """The reason, of *it* or of the noun: (English, German)."""
        degree = self.degree if self.reason.gradable else ""
        words = self.reason.english[self.past]
        if self.reason.is_adjective:
            be = "was" if self.past else "is"
            start = "it's" if self.short and not self.past and subject[0] == "it" else f"{subject[0]} {be}"
            words = joined(start, degree, words)
        else:
            words = f"{subject[0]} {words}"
        return words, Clause(subject[1], self.reason.verbs[self.past], joined(DEGREES[degree], self.reason.german))

    def example(self, twin: Example | None = None) -> Example:
        pronoun = IT[self.meant.noun.gender].split()[0]
        because, weil = self.said_of(("it", pronoun))
        english, german = self.english_clause(), self.german_clause()
        inverted, main, behind = german.inverted(), german.main(), weil.subordinate()
        if self.opener:
            english, main = f"{self.opener[0]}, {english}", f"{self.opener[1]} {inverted}"
        if self.joint == "because" and self.said:
            english, main = f"{self.said[0]} {english}", f"{self.said[1]} {german.subordinate()}"
        if self.joint == "said":
            raise ValueError("The joint 'said' is 'because' with words before it.")
        if self.joint == "so that":
            start, es = replace(self, degree="so").said_of((self.meant.english, self.meant.german("1")))
            clause = self.german_clause(self.meant)
            inside = self.meant is not self.a or self.person is not None
            if inside:
                pronoun = IT[self.meant.noun.gender].split()[1]
            sentences = f"{start} that {self.english_clause(self.meant)}.", f"{es.main()}, dass {clause.subordinate()}."
        else:
            sentences = {
                "because": (f"{english} because {because}.", f"{main}, weil {behind}."),
                "as": (f"{english}, as {because}.", f"{main}, da {behind}."),
                "since": (f"{english} since {because}.", f"{main}, da {behind}."),
                "for": (f"{english}, for {because}.", f"{main}, denn {weil.main()}."),
                "full stop": (f"{english}. {capital(because)}.", f"{main}. {capital(weil.main())}."),
                "because first": (f"because {because}, {english}.", f"weil {behind}, {inverted}."),
                "as first": (f"as {because}, {english}.", f"da {behind}, {inverted}."),
                "although": (f"{english} although {because}.", f"{main}, obwohl {behind}."),
                "even though": (f"{english} even though {because}.", f"{main}, obwohl {behind}."),
                "although first": (f"although {because}, {english}.", f"obwohl {behind}, {inverted}."),
            }[self.joint]
        other = None if self.b is None else (self.b if self.meant is self.a else self.a).noun
        written = capital(sentences[0]), finished(sentences[1])
        return Example(*written, self.meant.noun, other, pronoun, self.reason.word, self.frame, twin)


# ─── 5 The speaker ───────────────────────────────────────────────────────────────────────────────────────────────────
LIKE_FOR_LIKE = ("sell and buy", "exchange", "replace")  # both nouns are of one kind
OWNED = set("animal hunter puller goods clothes vehicle piece toy container closable vessel furniture ship device instrument valuable "
            "text decoration blade building standing".split())  # fmt: skip
GENDERS = ("m", "f", "n")
NEUTRAL = set("young old new big small large high low wide narrow long short thick thin fat heavy modern fresh dirty".split())


@functools.cache
def held_out_reasons(table: tuple[tuple[str, str], ...]) -> list[tuple[Noun, Reason]]:
    """Each noun of a frame with each reason that is held out with it; any one where none is."""
    every = [(noun, reasons()[word.strip()]) for kind, words in table for word in words.split(",") for noun in nouns(kind)]
    return [(noun, reason) for noun, reason in every if is_held_out(reason_key(reason, noun))] or every[:1]


class Speaker:
    """Draws examples of one split, "train" or "test"; in both, *er*, *sie* and *es* come equally often."""

    def __init__(self, seed: int = 0, split: str = "train"):
        if split not in ("train", "test"):
            raise ValueError(f"split is {split!r}; choose train or test.")
        self.split, self.rng = split, random.Random(f"pronouns {seed} {split}")
        self.pairs = [event for event in EVENTS if event.b]
        self.alone = [event for event in EVENTS if not event.b]

    def fits(self, *keys: str) -> bool:
        """Whether all these keys are held out (test), or none (train)."""
        if any(key == "pair ['animal', 'street']" for key in keys):  # the documents' own
            return False
        return all(is_held_out(key) == (self.split == "test") for key in keys)

    def weighted(self, table: dict[str, int]) -> str:
        return self.rng.choices([*table], [*table.values()])[0]

    def example(self) -> Example:
        """One example: of twenty in training, thirteen weigh two nouns, three are special, four bring one noun alone."""
        while True:
            gender, draw = self.rng.choice(GENDERS), self.rng.random()
            make = self.two if draw < 0.65 else self.special
            if self.split == "train" and draw > 0.8:
                make = self.one
            for _ in range(200):
                found = make()
                if found and found.meant.gender == gender:
                    return found

    def phrase(self, noun: Noun, reasons_near: str) -> Phrase:
        owned = {"my": 1, "our": 1} if noun.kind in OWNED else {}
        determiner = self.weighted({"the": 12, "this": 1, **owned})
        kind = "animal" if noun.kind in ("animal", "puller", "hunter") else "thing"
        plain = noun.kind in ("goods", "clothes", "vehicle", "piece", "toy", "container", "vessel", "furniture", "ship")
        look = None
        if (kind == "animal" or plain) and self.rng.random() < 0.12:
            choices = entries(LOOKS[kind])
            english, german = self.rng.choice(choices)
            stray = english == "stray" and noun.english not in ("dog", "cat", "kitten")
            little = english == "little" and NEUTRAL & set(re.findall(r"\w+", reasons_near))
            look = None if stray or little else (english, german)
        return Phrase(noun, determiner, look)

    def mood(self, event: Event) -> str:
        known = {mood: MOODS.get(mood, 1) for mood in event.moods.split()}
        return self.weighted(known)

    def joint(self, mood: str, alone: bool) -> str:
        return self.weighted(CONCESSIONS if mood == "although" else JOINTS)

    def noun_and_reason(self, table: dict[str, str]) -> tuple[Noun, Reason]:
        if self.split == "test":  # a draw among the held-out ones finds one soon
            return self.rng.choice(held_out_reasons(tuple(table.items())))
        kind = self.rng.choice([*table])
        word = self.rng.choice([part.strip() for part in table[kind].split(",")])
        return self.rng.choice(nouns(kind)), reasons()[word]

    def two(self) -> Example | None:
        """An event with two nouns of different gender, each with a reason of its own; None where it does not fit."""
        event = self.rng.choice(self.pairs)
        (a, reason_a), (b, reason_b) = self.noun_and_reason(event.a), self.noun_and_reason(event.b)
        if a.gender == b.gender or {a.english, a.german} & {b.english, b.german}:
            return None
        if event.name in LIKE_FOR_LIKE and a.kind != b.kind:
            return None
        second = (reason_key(reason_b, b),) if self.split == "test" else ()  # a test's twin is held out as well
        if not self.fits(pair_key(a, b), *second) or (second and not self.fits(reason_key(reason_a, a))):
            return None
        plan = self.plan(event, a, b, reason_a, meant_a=True)
        if plan is None:
            return None
        if self.rng.random() < 0.5:
            plan, other = replace(plan, reason=reason_b, meant_a=False), replace(plan, reason=reason_a, meant_a=True)
        else:
            other = replace(plan, reason=reason_b, meant_a=False)
        if plan.joint == "so that" and not speakable(plan):
            return None
        example = plan.example()
        if not self.fits(*example.keys):
            return None
        if plan.joint != "so that" and twins(reason_a, reason_b, plan.degree):
            twin = other.example()
            if self.split == "train" or self.fits(*twin.keys):
                example = replace(example, twin=replace(twin, twin=example))
        return None if self.split == "test" and example.twin is None else example

    def one(self) -> Example | None:
        """An event with a person and one noun."""
        event = self.rng.choice(self.alone)
        noun, reason = self.noun_and_reason(event.a)
        plan = self.plan(event, noun, None, reason, meant_a=True)
        if plan is None or (plan.joint == "so that" and not speakable(plan)):
            return None
        example = plan.example()
        return example if self.fits(*example.keys[1:]) else None

    def plan(self, event: Event, a: Noun, b: Noun | None, reason: Reason, meant_a: bool) -> Plan | None:
        mood = self.mood(event)
        joint = self.joint(mood, b is None)
        person = self.rng.choice(persons()) if event.subject == "S" else None
        past = self.rng.random() < 0.75 or mood == "bought"
        said, opener = joint == "said", None
        if said:
            joint = "because"
            if mood == "bought":
                return None
        near = " ".join([*event.a.values(), *event.b.values()])
        if not past and person and person.number != 3 and mood not in ("could",):
            past = True
        if person and person.german == "ich" and not past and mood != "could":
            past = True
        degrees = {"too": 15, "very": 3, "": 2} if mood in ("not", "could", "wanted") else {"very": 6, "": 3, "so": 1}
        if joint in ("because", "as", "since", "for", "full stop") and not said and self.rng.random() < 0.08:
            english, german, is_past = self.rng.choice(OPENERS)
            past, opener = past or bool(is_past), (english, german)
        return Plan(
            event, mood, joint, past, self.phrase(a, near), None if b is None else self.phrase(b, near), person,
            meant_a, reason, self.weighted(degrees), opener, self.rng.choice(SAID) if said else None,
            self.rng.random() < 0.3,
        )  # fmt: skip

    def special(self) -> Example | None:
        """What is not told by reasons: poured until full, taken out and read, hit so hard that it broke."""
        return self.rng.choice((self.poured, self.poured, self.taken, self.taken, self.struck))()

    def told(self, name: str, a: Phrase, b: Phrase, ends: tuple[Said, Said], start: tuple[str, str]) -> Example | None:
        """start + end for a, and the twin with the end for b; "{it}" in an end is the pronoun of what is meant."""
        meant_a = self.rng.random() < 0.5
        if a.noun.gender == b.noun.gender or {a.noun.english, a.noun.german} & {b.noun.english, b.noun.german}:
            return None
        examples = []
        for phrase, other, (word, english, german, case) in ((a, b, ends[0]), (b, a, ends[1])):
            pronoun = form(IT, phrase.noun.gender, case)
            texts = f"{start[0]} {english}.", f"{start[1]} {german.format(it=pronoun)}."
            texts = capital(texts[0]), finished(texts[1])
            examples.append(Example(*texts, phrase.noun, other.noun, pronoun, word, name))
        example, twin = examples if meant_a else reversed(examples)
        if not self.fits(*example.keys) or (self.split == "test" and not self.fits(*twin.keys)):
            return None
        one_word = len(example.english.split()) == len(twin.english.split())
        if not one_word:
            return None if self.split == "test" else example
        return replace(example, twin=replace(twin, twin=example))

    def poured(self) -> Example | None:
        liquid = self.rng.choice(nouns("drink"))
        a, b = (self.phrase(self.rng.choice(nouns("vessel")), "") for _ in range(2))
        person = self.rng.choice(persons())
        verb = ("poured", plural("goss") if person.number == 4 else "goss")
        until, bis = self.rng.choice((("until", "bis"), ("until", "bis"), ("and soon", "und bald")))
        start = (
            f"{person.english} {verb[0]} {liquid.english} from {a.english} into {b.english} {until}",
            f"{person.german} {verb[1]} {liquid.german} aus {a.german('3')} in {b.german('4')}, {bis}",
        )
        if until == "and soon":
            start = start[0], start[1].replace(", und", " und")
            ends = (("empty", "it was empty", "war {it} leer", "1"), ("full", "it was full", "war {it} voll", "1"))
        else:
            ends = (("empty", "it was empty", "{it} leer war", "1"), ("full", "it was full", "{it} voll war", "1"))
        return self.told(f"pour out | {until}", a, b, ends, start)

    def taken(self) -> Example | None:
        kind = self.rng.choice([kind for kind in DONE_WITH if kind != "closable"])
        a = self.phrase(self.rng.choice(nouns(kind)), "")
        b = self.phrase(self.rng.choice(nouns("closable")), "")
        person = self.rng.choice(persons())
        many = person.number == 4
        does, gone = self.rng.choice(DONE_WITH[kind]), self.rng.choice(DONE_WITH["closable"])
        way = self.rng.choice(("and", "and", "and then", "before"))
        again = self.again(person)

        def end(done: tuple[str, str, str]) -> Said:
            english, past, particle = done
            verb = plural(past) if many else past
            if way == "before":
                last = particle + verb
                return english, f"{again[0]} {english} it", f"{again[1]} {{it}} {last}", "4"
            return english, f"{english} it", joined(verb, "{it}", "dann" if way == "and then" else "", particle), "4"

        took = plural("nahm") if many else "nahm"
        word = {"and": "und", "and then": "und", "before": "bevor"}[way]
        comma = "," if way == "before" else ""
        start = (
            f"{person.english} took {a.english} out of {b.english} {way}",
            f"{person.german} {took} {a.german('4')} aus {b.german('3')}{comma} {word}",
        )
        return self.told(f"taken | {way}", a, b, (end(does), end(gone)), start)

    def again(self, person: Person) -> tuple[str, str]:
        """The pronoun of a person, (English, German)."""
        women = ("Mary", "the woman", "my sister", "my aunt")
        if person.number == 4:
            return ("we", "wir") if person.english == "we" else ("they", "sie")
        if person.english == "I":
            return "I", "ich"
        if person.german.startswith("das Mädchen"):
            return "she", "es"
        return ("she", "sie") if person.english in women else ("he", "er")

    def struck(self) -> Example | None:
        a = self.phrase(self.rng.choice(nouns("bouncer")), "")
        b = self.phrase(self.rng.choice(nouns("fragile")), "")
        verbs = (("hit", "traf {b4} so hart", "hard"), ("struck", "traf {b4} so fest", "hard"),
                 ("fell onto", "fiel so hart auf {b4}", "hard"), ("flew against", "flog so schnell gegen {b4}", "fast"),
                 ("bumped against", "stieß so stark gegen {b4}", "hard"))  # fmt: skip
        english, german, hard = self.rng.choice(verbs)
        bounced = ("bounced", "it bounced", "{it} abprallte", "1")
        broke = self.rng.choice((("broke", "it broke", "{it} zerbrach", "1"), ("shattered", "it shattered", "{it} zersprang", "1"),
                                 ("shook", "it shook", "{it} wackelte", "1")))  # fmt: skip
        start = (f"{a.english} {english} {b.english} so {hard} that",
                 f"{a.german('1')} {german.format(b4=b.german('4'))}, dass")  # fmt: skip
        return self.told(f"hit | {english}", a, b, (bounced, broke), start)


Said = tuple[str, str, str, str]  # the word that decides, English, German with {it}, the pronoun's case
DONE_WITH = {  # English past, German past, particle
    "text": (("read", "las", ""), ("burnt", "verbrannte", ""), ("signed", "unterschrieb", "")),
    "clothes": (("wore", "trug", ""), ("ironed", "bügelte", "")),
    "fruit": (("ate", "aß", ""), ("peeled", "schälte", "")),
    "valuable": (("sold", "verkaufte", ""), ("kissed", "küsste", ""), ("admired", "bewunderte", "")),
    "closable": (("closed", "schloss", ""), ("emptied", "leerte", ""), ("locked", "verschloss", "")),
}


def twins(one: Reason, two: Reason, degree: str) -> bool:
    """Whether one can be put in place of the other by changing one word."""
    single = one.is_adjective and two.is_adjective and not any(" " in reason.word for reason in (one, two))
    return single and (degree == "" or one.gradable == two.gradable)


def speakable(plan: Plan) -> bool:
    """Whether *so … that* can be said: of the subject, or of an object without a preposition, which has degrees."""
    slot = "A" if plan.meant is plan.a else "B"
    middle = plan.event.german.partition(": ")[2]
    plain = (slot == "A" and plan.person is None) or middle.startswith(slot)
    return plan.mood == "could" and plain and plan.reason.gradable and plan.opener is None


def examples(seed: int = 0, split: str = "train") -> Iterator[Example]:
    """Examples without end, no English sentence twice."""
    speaker, said = Speaker(seed, split), set[str]()
    while True:
        example = speaker.example()
        if example.english not in said:
            said.add(example.english)
            yield example


def sample(n: int, seed: int = 0, split: str = "train") -> list[Example]:
    """n different examples; the same for the same arguments."""
    return list(itertools.islice(examples(seed, split), n))


# ─── 6 The lexicon ───────────────────────────────────────────────────────────────────────────────────────────────────
SHOWN = {  # what the documents show, which nobody may learn by heart
    "I am a teacher.", "I'm a teacher.", "I like stray cats.", "I like stray cat.", "Our teacher rides her bicycle.",
    "Our teacher rides her bicycle to school.", "The animal did not cross the street because it was too tired.",
    "The animal did not cross the street because it was too wide.",
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
    "The law will never be perfect, but its application should be just.",
    "The law will never be perfect, but its application should be just - this is what we are missing, in my opinion.",
    "The new law is making the registration of new voters more difficult.",
}  # fmt: skip

# A rule, as nominative | accusative, and the words for its parts; *its* is sein or ihr by the gender of the first.
WHOLES = """
    law = das Gesetz; plan = der Plan; rule = die Regel; system = das System; reform = die Reform; method = die Methode;
    contract = der Vertrag; proposal = der Vorschlag; project = das Projekt; idea = die Idee; machine = die Maschine;
    school = die Schule; procedure = das Verfahren; theory = die Theorie; programme = das Programm; state = der Staat
"""
PARTS = """
    application = die Anwendung; aim = das Ziel; effect = die Wirkung; use = der Nutzen; form = die Form;
    language = die Sprache; result = das Ergebnis; purpose = der Zweck; success = der Erfolg; spirit = der Geist;
    price = der Preis; meaning = der Sinn; name = der Name; beginning = der Anfang; idea = die Idee
"""
QUALITIES = """
    perfect = vollkommen; just = gerecht; clear = klar; simple = einfach; fair = fair; good = gut; useful = nützlich;
    cheap = billig; complete = vollständig; important = wichtig; safe = sicher; strict = streng; popular = beliebt
"""
HARDER = """
    more difficult = schwieriger; easier = einfacher; more expensive = teurer; cheaper = billiger; slower = langsamer;
    faster = schneller; safer = sicherer; more interesting = interessanter; more complicated = komplizierter;
    more dangerous = gefährlicher
"""
TASKS = """
    registration = die Anmeldung; registration of voters = die Registrierung der Wähler; voting = das Wählen;
    voting process = der Wahlvorgang; process = der Vorgang; work = die Arbeit; life = das Leben; journey = die Reise;
    application = die Bewerbung; exam = die Prüfung; way to school = der Schulweg; choice = die Auswahl;
    search = die Suche; registration process = das Anmeldeverfahren; election = die Wahl
"""
MAKERS = """
    new rule = die neue Regel; new law = das neue Gesetz; weather = das Wetter; noise = der Lärm; snow = der Schnee;
    government = die Regierung; new computer = der neue Computer; new system = das neue System; rain = der Regen;
    mistake = der Fehler; strike = der Streik; new teacher = der neue Lehrer; new road = die neue Straße
"""
FOLK = """
    teacher = der Lehrer Lehrer; student = der Student Studenten; voter = der Wähler Wähler; farmer = der Bauer Bauern;
    doctor = der Arzt Ärzte; neighbour = der Nachbar Nachbarn; child = das Kind Kinder; American = der Amerikaner Amerikaner
"""
STRAYS = "stray cat = die Katze Katzen; stray dog = der Hund Hunde; stray animal = das Tier Tiere; stray kitten = das Kätzchen Kätzchen"
WITH_STRAYS = """
    We feed two STRAYS. | Wir füttern zwei streunende STRAYS.
    The STRAYS sleep behind our house. | Die streunenden STRAYS schlafen hinter unserem Haus.
    She likes STRAYS. | Sie mag streunende STRAYS.
    Do you like STRAYS? | Magst du streunende STRAYS?
    I found a STRAY in the garden. | Ich habe NEST im Garten gefunden.
    My sister took a STRAY home. | Meine Schwester nahm NEST mit nach Hause.
    FOLKS do not like STRAYS. | FOLKS mögen keine streunenden STRAYS.
    There are many STRAYS in this town. | In dieser Stadt gibt es viele streunende STRAYS.
    A STRAY followed FOLK. | NSTRAY folgte DFOLK.
    FOLK gave the STRAY some milk. | NFOLK gab TSTRAY etwas Milch.
    I am not afraid of STRAYS. | Ich habe keine Angst vor streunenden DSTRAYS.
"""


def lexicon_sentences(n: int, seed: int = 0) -> list[tuple[str, str]]:
    """n different pairs of sentences that bring the words of the documents' examples, without the examples."""
    rng, said = random.Random(f"lexicon {seed}"), dict[str, str]()
    makers = (a_whole_and_its_part, making_harder, strays, spirit)
    while len(said) < n:
        english, german = rng.choice(makers)(rng)
        if english not in SHOWN:
            said.setdefault(english, finished(german))
    return list(said.items())


def word(rng: random.Random, table: str) -> tuple[str, str, str]:
    """A draw from a table: English, German, gender ("" for what has none)."""
    english, german = rng.choice(entries(table))
    article, _, rest = german.partition(" ")
    gender = {"der": "m", "die": "f", "das": "n"}.get(article, "")
    return english, rest if gender else german, gender


def a_whole_and_its_part(rng: random.Random) -> tuple[str, str]:
    """*The plan will never be simple, but its aim should be clear.*"""
    (whole, ganzes, g), (part, teil, h) = word(rng, WHOLES), word(rng, PARTS)
    (one, eins, _), (two, zwei, _) = word(rng, QUALITIES), word(rng, QUALITIES)
    its = ("ihr" if g == "f" else "sein") + form(MIXED, h, "1").replace("er", "").replace("es", "")
    the = form(THE, g, "1")
    never, niemals = rng.choice((("will never be", "wird niemals"), ("will not be", "wird nicht"), ("will soon be", "wird bald")))
    should, soll = rng.choice((("should be", "sollte"), ("must be", "muss"), ("could be", "könnte")))
    english = f"the {whole} {never} {one}, but its {part} {should} {two}"
    german = f"{the} {ganzes} {niemals} {eins} sein, aber {its} {teil} {soll} {zwei} sein"
    ends = (("", ""), ("", ""), ("", ""), (", in my opinion", ", meiner Meinung nach"),
            (" - this is what I want", " - das ist es, was ich will"),
            (" - that is what the country is missing", " - das ist es, was dem Land fehlt"),
            (" - this is what they are missing", " - das ist es, was ihnen fehlt"))  # fmt: skip
    more, mehr = rng.choice(ends)
    if rng.random() < 0.2:
        return f"In my opinion, {english}.", f"Meiner Meinung nach {niemals.split()[0]} {the} {ganzes} {niemals.split()[1]} {eins} sein, aber {its} {teil} {soll} {zwei} sein."
    return f"{capital(english)}{more}.", f"{german}{more and mehr}."


def making_harder(rng: random.Random) -> tuple[str, str]:
    """*The snow is making the journey more difficult.*"""
    (task, arbeit, g), (harder, schwerer, _) = word(rng, TASKS), word(rng, HARDER)
    maker, macher = rng.choice(entries(MAKERS))
    is_, macht = rng.choice((("is making", "macht"), ("makes", "macht"), ("made", "machte"), ("was making", "machte")))
    the, task = form(THE, g, "4"), task if task in ("life", "voting") else f"the {task}"
    for_whom, wem = rng.choice((("", ""), ("", ""), (" for us", "für uns "), (" for the students", "für die Studenten "),
                                (" for new voters", "für neue Wähler "), (" for everybody", "für alle ")))  # fmt: skip
    if rng.random() < 0.2:
        passed, beschlossen = rng.choice((("The government has passed a new law", "Die Regierung hat ein neues Gesetz beschlossen"),
                                          ("Many governments have passed new laws", "Viele Regierungen haben neue Gesetze beschlossen"),
                                          ("In 2009 they passed a law", "2009 beschlossen sie ein Gesetz"),
                                          ("American states have passed a law", "Amerikanische Staaten haben ein Gesetz beschlossen")))  # fmt: skip
        many = "laws" in passed
        which = ", die" if many else ", das"
        verb = "machen" if many else "macht"
        return f"{passed} making {task} {harder}{for_whom}.", f"{beschlossen}{which} {the} {arbeit} {wem}{schwerer} {verb}."
    return f"The {maker} {is_} {task} {harder}{for_whom}.", f"{macher} {macht} {the} {arbeit} {wem}{schwerer}."


def strays(rng: random.Random) -> tuple[str, str]:
    """*We feed two stray cats.*"""
    lines = [line.split("|") for line in WITH_STRAYS.strip().splitlines()]
    english, german = (side.strip() for side in rng.choice(lines))
    stray, tier = rng.choice(entries(STRAYS))
    article, one, many = tier.split()
    g = {"der": "m", "die": "f", "das": "n"}[article]
    folk, leute = rng.choice(entries(FOLK))
    their, person, people = leute.split()
    h = {"der": "m", "die": "f", "das": "n"}[their]
    weak = {"Student": "Studenten", "Bauer": "Bauern", "Nachbar": "Nachbarn"}.get(person, person)
    dative = many if many.endswith("n") else many + "n"
    a = {"m": ("einen streunenden", "ein streunender"), "f": ("eine streunende", "eine streunende"),
         "n": ("ein streunendes", "ein streunendes")}[g]  # fmt: skip
    for key, text in (("NEST", f"{a[0]} {one}"), ("NSTRAY", f"{a[1]} {one}"), ("TSTRAY", f"{form(THE, g, '3')} streunenden {one}"),
                      ("DSTRAYS", dative), ("STRAYS", many), ("NFOLK", f"{their} {person}"),
                      ("DFOLK", f"{form(THE, h, '3')} {weak}"), ("FOLKS", people)):  # fmt: skip
        german = german.replace(key, text)
    children = {"child": "children"}.get(folk, folk + "s")
    english = english.replace("STRAYS", stray + "s").replace("STRAY", stray).replace("FOLKS", children).replace("FOLK", f"the {folk}")
    return capital(english), capital(german)


def spirit(rng: random.Random) -> tuple[str, str]:
    """What is missing, and in whose opinion; *in this spirit*, *a majority*."""
    (part, teil, g), (folk, leute, _) = word(rng, PARTS), word(rng, FOLK)
    (one, eins, _) = word(rng, QUALITIES)
    people = leute.split()[-1]
    dative = people if people.endswith("n") else people + "n"
    children = {"child": "children"}.get(folk, folk + "s")
    the, these = form(THE, g, "1"), form(THIS, g, "1")
    a = "an" if one == "important" else "a"
    return rng.choice((
        (f"In my opinion, the {part} is {one}.", f"Meiner Meinung nach ist {the} {teil} {eins}."),
        (f"In the opinion of the {children}, the {part} is not {one}.", f"Nach Meinung der {people} ist {the} {teil} nicht {eins}."),
        (f"It was in this spirit that the {children} began their work.", f"In diesem Geist begannen die {people} ihre Arbeit."),
        (f"It is in this spirit that the {children} help us.", f"In diesem Geist helfen uns die {people}."),
        (f"A majority of the {children} found the {part} {one}.", f"Eine Mehrheit der {people} fand {form(THE, g, '4')} {teil} {eins}."),
        (f"This {part} is what the {children} are missing.", f"{these} {teil} ist es, was den {dative} fehlt."),
        (f"What we are missing is {a} {one} {part}.", f"Was uns fehlt, ist {form(MY, g, '1')[1:]} {eins}{form(MIXED, g, '1')} {teil}."),
    ))  # fmt: skip


# ─── 7 Corpus ────────────────────────────────────────────────────────────────────────────────────────────────────────
def read(folder: str | Path, name: str) -> list[str]:
    plain, packed = Path(folder, name), Path(folder, name + ".gz")
    data = plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes())
    return data.decode().removesuffix("\n").split("\n")


def write(folder: str | Path, n: int = 18000, seed: int = 0, lexicon: int = 2000, into: str | Path | None = None) -> None:
    """Write n pairs and the lexicon's as train.en and train.de; into: a folder of parallel text that they are added to.

    Also test.en, test.de: 1,000 held-out examples. With `into`, its valid is copied, and the sentences that the
    project's documents show are left out of its train.
    """
    if n < 1:
        raise ValueError(f"n is {n}; ask for at least 1 pair.")
    folder = Path(folder)
    train = [(example.english, example.german) for example in sample(n, seed)] + lexicon_sentences(lexicon, seed)
    test = [(example.english, example.german) for example in sample(1000, seed, "test")]
    splits = {"train": train, "test": test}
    if into is not None:
        base = zip(read(into, "train.en"), read(into, "train.de"), strict=True)
        splits["train"] = [pair for pair in base if pair[0] not in SHOWN] + train
        splits["valid"] = list(zip(read(into, "valid.en"), read(into, "valid.de"), strict=True))
    folder.mkdir(parents=True, exist_ok=True)
    for split, pairs in splits.items():
        for ending, side in (("en", 0), ("de", 1)):
            text = "".join(pair[side] + "\n" for pair in pairs)
            (folder / f"{split}.{ending}").write_text(text, encoding="utf-8", newline="\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m corpora.pronouns", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", metavar="DIR", help="gets train and test: .en .de")
    parser.add_argument("--n", type=int, default=18000, help="pairs for training")
    parser.add_argument("--lexicon", type=int, default=2000, help="pairs with the words of the documents' examples")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--into", metavar="FOLDER", help="parallel text that these are added to")
    given = parser.parse_args(arguments)
    try:
        write(given.folder, given.n, given.seed, given.lexicon, given.into)
    except (ValueError, OSError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
