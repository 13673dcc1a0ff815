"""What is true of things, and what happens to them, as tables for antecedents.py.

    1  Verbs      the forms that no rule gives
    2  Persons    who does something, and what is told when
    3  Kinds      what a kind of thing is like, does, and what is done with it, which is true of no other kind
    4  Scenes     one noun: how it comes into a sentence
    5  Scenes     two nouns of different kinds
    6  Events     two nouns, and why it happens: reasons that fit one of them
    7  Contests   two nouns of one kind, of which the better is chosen
    8  Joints     how two clauses become one sentence, or two

A row is "English = German": a verb with the words behind. A and B are the nouns of a sentence, I is *it*; a number is
the case (1 nominative, 4 accusative, 3 dative). "-" is the place of *nicht*; "an|sehen" is separable.
"""

from __future__ import annotations

from corpora import antecedent_home as home
from corpora import antecedent_town as town

# fmt: off
# ─── 1 Verbs ─────────────────────────────────────────────────────────────────────────────────────────────────────────
IRREGULAR = """
    be was been; have had had; do did done; go went gone; buy bought bought; find found found; lose lost lost; see
    saw seen; sell sold sold; take took taken; bring brought brought; get got got; give gave given; send sent sent;
    keep kept kept; forget forgot forgotten; leave left left; eat ate eaten; drink drank drunk; read read read;
    write wrote written; wear wore worn; drive drove driven; ride rode ridden; feed fed fed; catch caught caught;
    throw threw thrown; put put put; hang hung hung; stand stood stood; lie lay lain; sit sat sat; break broke
    broken; tear tore torn; steal stole stolen; hide hid hidden; fall fell fallen; run ran run; fly flew flown; swim
    swam swum; sing sang sung; hear heard heard; build built built; cut cut cut; choose chose chosen; sleep slept
    slept; come came come; grow grew grown; bite bit bitten; begin began begun; cost cost cost; hold held held; sink
    sank sunk; win won won; light lit lit; draw drew drawn; make made made; know knew known; understand understood
    understood; blow blew blown; lend lent lent; let let let; hit hit hit; shut shut shut; wake woke woken; freeze
    froze frozen; overtake overtook overtaken; pay paid paid; feel felt felt; hurt hurt hurt; dig dug dug; fit fit
    fit; bleed bled bled; shrink shrank shrunk; lead led led; meet met met; think thought thought; set set set;
    cancel cancelled cancelled; stick stuck stuck; ring rang rung; shine shone shone; bend bent bent; rise rose
    risen; sting stung stung; shake shook shaken; swing swung swung; spin spun spun; sweep swept swept; burst burst
    burst; show showed shown; become became become; split split split; beat beat beaten; shoot shot shot; lay laid
    laid; spread spread spread; wind wound wound; creep crept crept; teach taught taught; tell told told; say said
    said; speak spoke spoken; spend spent spent; weep wept wept; knit knitted knitted; grind ground ground; stink
    stank stunk; rebuild rebuilt rebuilt; flee fled fled; wring wrung wrung
"""
DOUBLED = """
    put sit run swim cut get hit shut begin forget let dig stop fit dam hum plug set wrap win cancel drop slip tip
    pop rub rip drip trip pin chop zip hop flap wag tap step spin knot rot drag grab mop unplug bob nod pat jog
    scrub beg
"""  # putting, running
STRONG = """
    erben erbt erbte geerbt; sein ist war gewesen; haben hat hatte gehabt; werden wird wurde geworden; finden findet
    fand gefunden; verlieren verliert verlor verloren; sehen sieht sah gesehen; nehmen nimmt nahm genommen; bringen
    bringt brachte gebracht; bekommen bekommt bekam bekommen; geben gibt gab gegeben; behalten behält behielt
    behalten; vergessen vergisst vergaß vergessen; lassen lässt ließ gelassen; essen isst aß gegessen; trinken
    trinkt trank getrunken; lesen liest las gelesen; schreiben schreibt schrieb geschrieben; tragen trägt trug
    getragen; fahren fährt fuhr gefahren; ziehen zieht zog gezogen; gehen geht ging gegangen; springen springt
    sprang gesprungen; schwimmen schwimmt schwamm geschwommen; fressen frisst fraß gefressen; beißen beißt biss
    gebissen; schlafen schläft schlief geschlafen; werfen wirft warf geworfen; heben hebt hob gehoben; schneiden
    schneidet schnitt geschnitten; wachsen wächst wuchs gewachsen; brechen bricht brach gebrochen; zerbrechen
    zerbricht zerbrach zerbrochen; fangen fängt fing gefangen; fliegen fliegt flog geflogen; fallen fällt fiel
    gefallen; sinken sinkt sank gesunken; waschen wäscht wusch gewaschen; mögen mag mochte gemocht; stehlen stiehlt
    stahl gestohlen; empfehlen empfiehlt empfahl empfohlen; verstehen versteht verstand verstanden; stehen steht
    stand gestanden; liegen liegt lag gelegen; sitzen sitzt saß gesessen; hängen2 hängt hing gehangen; laufen läuft
    lief gelaufen; kommen kommt kam gekommen; binden bindet band gebunden; verbinden verbindet verband verbunden;
    beginnen beginnt begann begonnen; riechen riecht roch gerochen; gießen gießt goss gegossen; schließen schließt
    schloss geschlossen; verschließen verschließt verschloss verschlossen; reißen reißt riss gerissen; zerreißen
    zerreißt zerriss zerrissen; schleifen schleift schliff geschliffen; besprechen bespricht besprach besprochen;
    schieben schiebt schob geschoben; verschieben verschiebt verschob verschoben; genießen genießt genoss genossen;
    singen singt sang gesungen; pfeifen pfeift pfiff gepfiffen; besteigen besteigt bestieg bestiegen; betreten
    betritt betrat betreten; halten hält hielt gehalten; gefallen gefällt gefiel gefallen; verschwinden verschwindet
    verschwand verschwunden; frieren friert fror gefroren; brennen brennt brannte gebrannt; kennen kennt kannte
    gekannt; helfen hilft half geholfen; besitzen besitzt besaß besessen; leihen leiht lieh geliehen; streichen
    streicht strich gestrichen; klingen klingt klang geklungen; reiten reitet ritt geritten; erschrecken erschreckt
    erschreckte erschreckt; überholen überholt überholte überholt; wiederholen wiederholt wiederholte wiederholt;
    übersetzen übersetzt übersetzte übersetzt; unterstützen unterstützt unterstützte unterstützt; sterben stirbt
    starb gestorben; fließen fließt floss geflossen; tun tut tat getan; nennen nennt nannte genannt; untersuchen
    untersucht untersuchte untersucht; wollen will wollte gewollt; können kann konnte gekonnt; müssen muss musste
    gemusst; dürfen darf durfte gedurft; wissen weiß wusste gewusst; treffen trifft traf getroffen; verbrauchen
    verbraucht verbrauchte verbraucht; vergraben vergräbt vergrub vergraben; scheinen scheint schien geschienen;
    vertreiben vertreibt vertrieb vertrieben; überqueren überquert überquerte überquert; gewinnen gewinnt gewann
    gewonnen; überraschen überrascht überraschte überrascht; ändern ändert änderte geändert; blühen blüht blühte
    geblüht; überzeugen überzeugt überzeugte überzeugt; erfinden erfindet erfand erfunden; zerspringen zerspringt
    zersprang zersprungen; verbrennen verbrennt verbrannte verbrannt; enthalten enthält enthielt enthalten;
    beschreiben beschreibt beschrieb beschrieben; sprechen spricht sprach gesprochen; denken denkt dachte gedacht;
    backen backt backte gebacken; vergleichen vergleicht verglich verglichen; verlassen verlässt verließ verlassen;
    erhalten erhält erhielt erhalten; bleiben bleibt blieb geblieben; reißen2 reißt riss gerissen; brechen2 bricht
    brach gebrochen; zerbrechen2 zerbricht zerbrach zerbrochen; fahren2 fährt fuhr gefahren; schmelzen schmilzt
    schmolz geschmolzen; stechen sticht stach gestochen; steigen steigt stieg gestiegen; bieten bietet bot geboten;
    stinken stinkt stank gestunken; kriechen kriecht kroch gekrochen; schießen schießt schoss geschossen; treten
    tritt trat getreten; treiben treibt trieb getrieben; blasen bläst blies geblasen; rufen ruft rief gerufen;
    schlagen schlägt schlug geschlagen; reiben reibt rieb gerieben; gleiten gleitet glitt geglitten; biegen biegt
    bog gebogen; wiegen wiegt wog gewogen; messen misst maß gemessen; heißen heißt hieß geheißen; zwingen zwingt
    zwang gezwungen; schwingen schwingt schwang geschwungen; laden lädt lud geladen; lügen lügt log gelogen;
    schreien schreit schrie geschrien; raten rät riet geraten; unterbrechen unterbricht unterbrach unterbrochen;
    unterschreiben unterschreibt unterschrieb unterschrieben; saugen saugt saugte gesaugt; platzen platzt platzte
    geplatzt; graben gräbt grub gegraben; melken melkt melkte gemolken; schlafen2 schläft schlief geschlafen; sollen
    soll sollte gesollt; fallen2 fällt fiel gefallen; verderben verdirbt verdarb verdorben; verbergen verbirgt
    verbarg verborgen; beweisen beweist bewies bewiesen; greifen greift griff gegriffen; schleichen schleicht
    schlich geschlichen; öffnen öffnet öffnete geöffnet; trocknen trocknet trocknete getrocknet; trocknen2 trocknet
    trocknete getrocknet; zerfallen zerfällt zerfiel zerfallen; überschwemmen überschwemmt überschwemmte
    überschwemmt; umarmen umarmt umarmte umarmt; unterrichten unterrichtet unterrichtete unterrichtet; verlaufen
    verläuft verlief verlaufen; stoßen stößt stieß gestoßen; heilen heilt heilte geheilt; rennen rennt rannte
    gerannt; erkennen erkennt erkannte erkannt; versinken versinkt versank versunken; entkommen entkommt entkam
    entkommen; umkreisen umkreist umkreiste umkreist; hinterlassen hinterlässt hinterließ hinterlassen; betteln
    bettelt bettelte gebettelt; reiten2 reitet ritt geritten; wringen wringt wrang gewrungen; verderben2 verdirbt
    verdarb verdorben; überschwemmen überschwemmt überschwemmte überschwemmt
"""
WITH_SEIN = """
    sein werden gehen springen klettern schwimmen fahren fliegen fallen rollen sinken laufen kommen wachsen
    verschwinden sterben folgen verwelken scheitern fließen zerspringen abbrennen zufrieren austrocknen bleiben
    reißen2 brechen2 zerbrechen2 schmelzen platzen kriechen gleiten kippen umkippen einschlafen aufwachen landen
    stürzen verdunsten schleichen zerfallen auftauen anbrennen flüchten rutschen trocknen2 segeln tauchen einstürzen
    abkühlen rennen versinken entkommen anwachsen aufsteigen steigen explodieren erlöschen verblühen fallen2
    überlaufen überkochen abbrechen2 verderben2 reiten2 abbiegen abprallen prallen abrutschen kentern
    abstürzen
"""
IRREGULAR, STRONG = f"{IRREGULAR}; {home.IRREGULAR}; {town.IRREGULAR}", f"{STRONG}; {home.STRONG}; {town.STRONG}"
DOUBLED = f"{DOUBLED} {home.DOUBLED} {town.DOUBLED}"
WITH_SEIN = f"{WITH_SEIN} {home.WITH_SEIN} {town.WITH_SEIN}"
YOU = {"sein": "bist", "haben": "hast", "werden": "wirst", "halten": "hältst", "behalten": "behältst",
       "betreten": "betrittst", "wissen": "weißt", "reiten": "reitest"}  # fmt: skip

# ─── 2 Persons ───────────────────────────────────────────────────────────────────────────────────────────────────────
# English = German, then the person (2 du, 6 sie, they), the pronouns, and whose
WHO = """
    I = ich 1 I ich my mein; I = ich 1 I ich my mein; we = wir 4 we wir our unser; you = du 2 you du your dein; he =
    er 3 he er his sein; she = sie 3 she sie her ihr; they = sie 6 they sie their ihr; Tom = Tom 3 he er his sein;
    Mary = Maria 3 she sie her ihr; Peter = Peter 3 he er his sein; Anna = Anna 3 she sie her ihr; my brother = mein
    Bruder 3 he er his sein; my mother = meine Mutter 3 she sie her ihr; my parents = meine Eltern 6 they sie their
    ihr; the children = die Kinder 6 they sie their ihr; the old woman = die alte Frau 3 she sie her ihr; our
    neighbour = unser Nachbar 3 he er his sein; the teacher = der Lehrer 3 he er his sein; her uncle = ihr Onkel 3
    he er his sein; my friend = mein Freund 3 he er his sein; the farmer = der Bauer 3 he er his sein; my aunt =
    meine Tante 3 she sie her ihr; the workers = die Arbeiter 6 they sie their ihr; his wife = seine Frau 3 she sie
    her ihr
"""
OTHERS = """
    nobody = niemand 3 nobody niemand his sein; somebody = jemand 3 somebody jemand his sein; everybody = jeder 3
    everybody jeder his sein; my sister = meine Schwester 3 she sie her ihr; our uncle = unser Onkel 3 he er his
    sein; someone else = jemand anders 3 he er his sein; my grandfather = mein Großvater 3 he er his sein; the boys
    = die Jungen 6 they sie their ihr; Tom = Tom 3 he er his sein; Mary = Maria 3 she sie her ihr; we = wir 4 we wir
    our unser
"""
TIMES = {  # behind a verb
    "past": """
        yesterday = gestern; last week = letzte Woche; this morning = heute Morgen; two days ago = vor zwei Tagen;
        at once = sofort; last year = letztes Jahr; on Sunday = am Sonntag; on Monday = am Montag""",
    "now": "every day = jeden Tag; today = heute; now = jetzt; at the moment = gerade",
    "soon": "tomorrow = morgen; next week = nächste Woche; soon = bald; later = später; tonight = heute Abend",
}
DEGREES = """
    too = zu; too = zu; too = zu; much too = viel zu; very = sehr; very = sehr; really = wirklich; quite = ziemlich;
    rather = ziemlich; a bit = etwas; extremely = äußerst; far too = viel zu"""

STATES = "mögen lieben brauchen haben besitzen kennen wollen bewundern fürchten behalten"  # that do not happen
LASTING = "lie stand hang sit sleep look wait live grow bleed float"  # *it was lying there*
LOOKS = """
    old = alt; new = neu; big = groß; little = klein; strange = seltsam; beautiful = schön; German = deutsch;
    American = amerikanisch; famous = berühmt; wonderful = wunderbar
"""
FOOD_LOOKS = "big = groß; little = klein; wonderful = wunderbar; strange = seltsam"

PLAIN = "sein haben wollen mögen kennen verstehen brauchen gehören besitzen"  # whose past is plain in speech too
TOO = "too = zu; too = zu; much too = viel zu; far too = viel zu"
VERY = "very = sehr; so = so; really = wirklich; quite = ziemlich"

# ─── 3 Kinds ─────────────────────────────────────────────────────────────────────────────────────────────────────────
# nouns: kinds of pronoun_words.py, less those behind "without". is: what may happen to it (section 4). good, bad: what
# it is like. own: those of them and others which are said of no other kind. does, done: rows; its: a part of it.
KINDS = {
    "text": {
        "nouns": "text writing",
        "is": "goods portable lying told",
        "good": "interesting exciting funny useful famous",
        "bad": "boring long complicated difficult expensive",
        "own": "interesting exciting funny boring complicated",
        "does": """
            have many pages = haben viele Seiten; be full of mistakes = sein voller Fehler; be in English = sein auf
            Englisch; make me laugh = bringen mich zum Lachen; be hard to understand = sein schwer zu verstehen;
            begin with a question = beginnen mit einer Frage; end sadly = enden traurig; be only three lines long =
            sein nur drei Zeilen lang""",
        "done": """
            read I = lesen I4 -; read I = lesen I4 -; translate I = übersetzen I4 -; write I = schreiben I4 -; read
            I aloud = vor|lesen I4 -; learn I by heart = lernen I4 - auswendig; print I = drucken I4 -; publish I =
            veröffentlichen I4 -; understand I = verstehen I4 -; copy I out = ab|schreiben I4 -""",
        "its": """
            author = der Autor; title = der Titel; last page = die letzte Seite; language = die Sprache; beginning =
            der Anfang; end = das Ende""",
    },
    "food": {
        "nouns": "food dish",
        "is": "goods eaten portable",
        "good": "delicious fresh cheap",
        "bad": "salty spicy burnt mouldy fatty expensive",
        "own": "delicious salty spicy burnt mouldy fatty",
        "does": """
            taste good = schmecken gut; taste awful = schmecken scheußlich; smell of garlic = riechen nach
            Knoblauch; get cold = werden kalt; be still in the oven = sein noch im Ofen; taste of nothing =
            schmecken nach nichts; taste wonderful = schmecken wunderbar""",
        "done": """
            eat I = essen I4 -; eat I = essen I4 -; try I = probieren I4 -; season I = würzen I4 -; warm I up =
            auf|wärmen I4 -; eat I up = auf|essen I4 -; prepare I = zu|bereiten I4 -""",
        "its": "taste = der Geschmack; smell = der Geruch",
    },
    "fruit": {
        "nouns": "fruit",
        "is": "goods eaten portable",
        "good": "sweet juicy ripe delicious fresh",
        "bad": "sour rotten bitter mouldy",
        "own": "sweet juicy ripe sour rotten bitter",
        "does": """
            taste sweet = schmecken süß; be full of worms = sein voller Würmer; come from Spain = kommen aus
            Spanien; smell of summer = riechen nach Sommer""",
        "done": """
            eat I = essen I4 -; peel I = schälen I4 -; pick I = pflücken I4 -; taste I = kosten I4 -; eat I up =
            auf|essen I4 -""",
        "its": "skin = die Schale; taste = der Geschmack",
    },
    "drink": {
        "nouns": "drink",
        "is": "goods drunk",
        "good": "delicious fresh cheap",
        "bad": "bitter sour hot expensive",
        "own": "delicious bitter sour",
        "does": """
            taste of lemons = schmecken nach Zitronen; get cold = werden kalt; taste good = schmecken gut; do me
            good = tun mir gut; quench our thirst = löschen unseren Durst""",
        "done": """
            drink I = trinken I4 -; drink I = trinken I4 -; drink I up = aus|trinken I4 -; heat I = erhitzen I4 -;
            pour I into a glass = gießen I4 - in ein Glas; spill I = verschütten I4 -""",
        "its": "taste = der Geschmack; smell = der Geruch",
    },
    "animal": {
        "nouns": "animal hunter pet",
        "is": "goods alive",
        "good": "clever brave playful strong beautiful",
        "bad": "wild lazy old ill greedy",
        "own": """
            tired hungry thirsty scared ill clever brave playful angry lazy curious shy nervous sleepy greedy
            injured exhausted bored""",
        "does": """
            run away = weg|laufen -; sleep all day = schlafen den ganzen Tag; want to play = wollen spielen; bite
            the postman = beißen den Briefträger; be afraid of us = haben Angst vor uns; look for food = suchen
            Futter; have three young = haben drei Junge; follow us home = folgen uns nach Hause; want to sleep =
            wollen schlafen; die = sterben; scratch me = kratzen mich; jump onto my lap = springen auf meinen Schoß;
            be born in spring = sein im Frühling geboren; live in the forest = leben im Wald; love children = lieben
            Kinder""",
        "done": """
            feed I = füttern I4 -; stroke I = streicheln I4 -; catch I = fangen I4 -; tame I = zähmen I4 -; scare I
            away = vertreiben I4 -; take I to the vet = bringen I4 - zum Tierarzt; give I some water = geben I3
            etwas Wasser; play with I = spielen - mit I3; help I = helfen I3 -; follow I = folgen I3 -; wake I =
            wecken I4 -; set I free = lassen I4 - frei; call I Max = nennen I4 - Max; be afraid of I = haben - Angst
            vor I3""",
        "its": "tail = der Schwanz; owner = der Besitzer; name = der Name; mother = die Mutter",
    },
    "clothes": {
        "nouns": "clothes suit without hat cap",
        "is": "goods portable worn",
        "good": "warm elegant comfortable beautiful cheap",
        "bad": "torn old-fashioned stiff dirty expensive",
        "own": "elegant torn",
        "does": """
            suit me = stehen mir -; fit me = passen mir -; be made of wool = sein aus Wolle; hang in the wardrobe =
            hängen2 im Schrank; be two sizes too big = sein zwei Nummern zu groß; shrink = ein|laufen -; keep me
            warm = halten mich warm""",
        "done": """
            wear I = tragen I4 -; wear I = tragen I4 -; put I on = an|ziehen I4 -; take I off = aus|ziehen I4 -;
            iron I = bügeln I4 -; try I on = an|probieren I4 -; mend I = flicken I4 -; sew I = nähen I4 -""",
        "its": "colour = die Farbe; pocket = die Tasche; button = der Knopf; pattern = das Muster",
    },
    "vehicle": {
        "nouns": "motor",
        "is": "goods big driven",
        "good": "fast modern cheap new practical",
        "bad": "slow loud rusty old expensive",
        "own": "",
        "does": """
            use too much petrol = verbrauchen zu viel Benzin; have a flat tyre = haben einen Platten; have a
            breakdown = haben eine Panne; stop at the corner = halten an der Ecke; be hard to start = sein schwer zu
            starten; need new tyres = brauchen neue Reifen; drive past = vorbei|fahren; be parked in front of the
            house = parken vor dem Haus; drive against a tree = fahren gegen einen Baum""",
        "done": """
            repair I = reparieren I4 -; park I = parken I4 -; start I = starten I4 -; steer I = lenken I4 -;
            overtake I = überholen I4 -; wait for I = warten - auf I4; tow I away = ab|schleppen I4 -""",
        "its": "driver = der Fahrer; engine = der Motor; brake = die Bremse; horn = die Hupe",
    },
    "ship": {
        "nouns": "ship",
        "is": "goods big",
        "good": "fast modern safe",
        "bad": "slow rusty old",
        "own": "",
        "does": """
            sink = sinken -; sail to Africa = fahren nach Afrika; lie in the harbour = liegen im Hafen; float on the
            lake = schwimmen auf dem See""",
        "done": "paint I = streichen I4 -; pull I ashore = ziehen I4 - an Land",
        "its": "captain = der Kapitän; crew = die Mannschaft",
    },
    "instrument": {
        "nouns": "instrument",
        "is": "goods portable",
        "good": "beautiful cheap valuable",
        "bad": "loud old expensive",
        "own": "",
        "does": """
            sound beautiful = klingen schön; be out of tune = sein verstimmt; sound terrible = klingen schrecklich;
            sound better than ever = klingen besser als je zuvor""",
        "done": """
            play I = spielen I4 -; play I = spielen I4 -; tune I = stimmen I4 -; learn to play I = lernen - I4 zu
            spielen""",
        "its": "sound = der Klang; colour = die Farbe",
    },
    "device": {
        "nouns": "device gadget",
        "is": "goods portable",
        "good": "modern practical cheap new useful",
        "bad": "loud broken old-fashioned expensive old",
        "own": "",
        "does": """
            work = funktionieren -; make strange noises = machen seltsame Geräusche; need electricity = brauchen
            Strom; be switched on = sein eingeschaltet; stop working = gehen kaputt; be out of order = sein defekt""",
        "done": """
            switch I on = ein|schalten I4 -; switch I off = aus|schalten I4 -; repair I = reparieren I4 -; plug I in
            = an|schließen I4 -; turn I off = aus|machen I4 -""",
        "its": "switch = der Schalter; price = der Preis; cable = das Kabel",
    },
    "container": {
        "nouns": "closable",
        "is": "goods portable",
        "good": "empty big practical",
        "bad": "locked narrow small crowded",
        "own": "locked empty crowded",
        "does": """
            be full of old letters = sein voller alter Briefe; contain nothing but stones = enthalten nur Steine; be
            full of money = sein voller Geld; be locked = sein abgeschlossen""",
        "done": """
            open I = öffnen I4 -; open I = auf|machen I4 -; close I = schließen I4 -; empty I = leeren I4 -; lock I
            = verschließen I4 -; fill I with sand = füllen I4 - mit Sand; unlock I = auf|schließen I4 -""",
        "its": "lock = das Schloss; key = der Schlüssel; bottom = der Boden",
    },
    "vessel": {
        "nouns": "fragile vessel without window mirror lamp screen aquarium egg pool tank",
        "is": "goods portable",
        "good": "clean beautiful new",
        "bad": "dirty fragile broken",
        "own": "",
        "does": """
            be full to the brim = sein randvoll; be full of water = sein voller Wasser; leak = lecken; have a crack
            = haben einen Sprung""",
        "done": """
            fill I with water = füllen I4 - mit Wasser; rinse I = spülen I4 -; empty I = leeren I4 -; wash I up =
            ab|waschen I4 -""",
        "its": "handle = der Griff; rim = der Rand",
    },
    "building": {
        "nouns": "building house without cave",
        "is": "big seen",
        "good": "quiet modern famous beautiful cosy",
        "bad": "damp stuffy ugly loud old",
        "own": "damp stuffy cosy",
        "does": """
            have three floors = haben drei Stockwerke; burn down = ab|brennen -; be open on Sundays = sein sonntags
            geöffnet; belong to the city = gehören der Stadt; stand empty = stehen leer; have no windows = haben
            keine Fenster; be a hundred years old = sein hundert Jahre alt""",
        "done": """
            build I = bauen I4 -; enter I = betreten I4 -; tear I down = ab|reißen I4 -; renovate I = renovieren I4
            -; visit I = besichtigen I4 -; rent I = mieten I4 -""",
        "its": "roof = das Dach; entrance = der Eingang; door = die Tür; owner = der Besitzer",
    },
    "plant": {
        "nouns": "plant green without vegetable grass wheat",
        "is": "goods seen",
        "good": "beautiful colourful rare",
        "bad": "dry ugly poisonous",
        "own": "poisonous",
        "does": """
            grow fast = wachsen schnell; wither = verwelken -; need more light = brauchen mehr Licht; be in bloom =
            blühen -; need water = brauchen Wasser; smell sweet = riechen süß; lose its leaves = verlieren die
            Blätter""",
        "done": """
            water I = gießen I4 -; water I = gießen I4 -; plant I = pflanzen I4 -; pull I out = aus|reißen I4 -""",
        "its": "leaf = das Blatt; scent = der Duft; root = die Wurzel",
    },
    "furniture": {
        "nouns": "furniture seat without piano fridge washing_machine",
        "is": "goods big",
        "good": "comfortable practical cheap elegant",
        "bad": "wobbly old-fashioned heavy ugly",
        "own": "wobbly",
        "does": """
            be made of oak = sein aus Eichenholz; stand in the corner = stehen in der Ecke; be wobbly = wackeln -;
            match the carpet = passen - zum Teppich""",
        "done": "move I = verrücken I4 -; polish I = polieren I4 -; put I together = zusammen|bauen I4 -",
        "its": "colour = die Farbe; price = der Preis; leg = das Bein",
    },
    "blade": {
        "nouns": "blade without blade",
        "is": "goods portable",
        "good": "sharp new practical",
        "bad": "blunt rusty old",
        "own": "blunt",
        "does": "cut well = schneiden gut; be made of steel = sein aus Stahl",
        "done": "sharpen I = schleifen I4 -; sharpen I = schärfen I4 -",
        "its": "handle = der Griff",
    },
    "proposal": {
        "nouns": "proposal without opinion",
        "is": "told",
        "good": "convincing reasonable fair useful simple",
        "bad": "unfair risky complicated unclear incomplete",
        "own": "convincing reasonable fair unfair risky incomplete",
        "does": """
            have many advantages = haben viele Vorteile; convince nobody = überzeugen niemanden; fail = scheitern -;
            come from Berlin = kommen aus Berlin; cost the city a lot of money = kosten die Stadt viel Geld; be
            against the law = sein verboten; surprise everybody = überraschen alle""",
        "done": """
            accept I = an|nehmen I4 -; reject I = ab|lehnen I4 -; discuss I = besprechen I4 -; support I =
            unterstützen I4 -; change I = ändern I4 -; criticise I = kritisieren I4 -; examine I = prüfen I4 -""",
        "its": "aim = das Ziel; use = der Nutzen; effect = die Wirkung",
    },
    "film": {
        "nouns": "film",
        "is": "told seen",
        "good": "exciting funny interesting famous",
        "bad": "boring long sad",
        "own": "",
        "does": """
            last three hours = dauern drei Stunden; begin at eight = beginnen um acht; end at midnight = enden um
            Mitternacht; make everybody cry = bringen alle zum Weinen; win a prize = gewinnen einen Preis""",
        "done": "see I = sehen I4 -; record I = auf|nehmen I4 -; watch I = an|schauen I4 -",
        "its": "title = der Titel; end = das Ende; hero = der Held",
    },
    "song": {
        "nouns": "song",
        "is": "told",
        "good": "beautiful famous funny",
        "bad": "sad loud boring",
        "own": "",
        "does": """
            sound sad = klingen traurig; remind me of home = erinnern mich an zu Hause; go round in my head = gehen
            mir durch den Kopf""",
        "done": "sing I = singen I4 -; whistle I = pfeifen I4 -; hum I = summen I4 -; hear I = hören I4 -",
        "its": "melody = die Melodie; text = der Text",
    },
    "street": {
        "nouns": "street",
        "is": "seen",
        "good": "quiet wide famous",
        "bad": "busy slippery narrow loud icy",
        "own": "busy icy slippery",
        "does": """
            lead to the sea = führen zum Meer; be closed = sein gesperrt; lead through the forest = führen durch den
            Wald; end here = enden hier""",
        "done": "cross I = überqueren I4 -; block I = versperren I4 -",
        "its": "name = der Name; surface = der Belag",
    },
    "river": {
        "nouns": "water shore without pool",
        "is": "seen",
        "good": "clean quiet warm",
        "bad": "deep dirty wide cold",
        "own": "deep shallow",
        "does": """
            freeze over = zu|frieren -; be full of fish = sein voller Fische; dry up = aus|trocknen -; be ten metres
            deep = sein zehn Meter tief""",
        "done": "cross I = überqueren I4 -; dam I = stauen I4 -",
        "its": "water = das Wasser; bank = das Ufer; name = der Name",
    },
    "meeting": {
        "nouns": "meeting",
        "is": "told",
        "good": "interesting important short",
        "bad": "boring long difficult",
        "own": "",
        "does": """
            begin at nine = beginnen um neun; last too long = dauern zu lange; take place tomorrow = statt|finden
            morgen; be over = sein vorbei; end too early = enden zu früh; go well = laufen gut""",
        "done": """
            postpone I = verschieben I4 -; cancel I = ab|sagen I4 -; organise I = organisieren I4 -; enjoy I =
            genießen I4 -; miss I = verpassen I4 -""",
        "its": "beginning = der Anfang; purpose = der Zweck; end = das Ende",
    },
    "thought": {
        "nouns": "thought",
        "is": "told",
        "good": "good interesting important simple",
        "bad": "strange complicated boring",
        "own": "",
        "does": """
            surprise me = überraschen mich; change my life = verändern mein Leben; help nobody = helfen niemandem;
            make me sad = machen mich traurig; come too late = kommen zu spät""",
        "done": """
            repeat I = wiederholen I4 -; understand I = verstehen I4 -; forget I = vergessen I4 -; know I = kennen
            I4 -; explain I = erklären I4 -""",
        "its": "meaning = der Sinn",
    },
    "body": {
        "nouns": "body",
        "is": "mine",
        "good": "strong",
        "bad": "dirty wet weak",
        "own": "",
        "does": """
            hurt = weh|tun -; bleed = bluten -; be broken = sein gebrochen; feel cold = an|fühlen sich kalt; itch =
            jucken -""",
        "done": """
            move I = bewegen I4 -; bandage I = verbinden I4 -; show I to the doctor = zeigen I4 - dem Arzt; wash I =
            waschen I4 -""",
        "its": "",
    },
    "weather": {
        "nouns": "weather",
        "is": "outside",
        "good": "",
        "bad": "strong",
        "own": "",
        "does": """
            come from the north = kommen aus dem Norden; last three days = dauern drei Tage; stop in the evening =
            auf|hören am Abend; surprise us = überraschen uns; begin in the night = beginnen in der Nacht; frighten
            the children = erschrecken die Kinder""",
        "done": "expect I = erwarten I4 -; see I = sehen I4 -; hear I = hören I4 -",
        "its": "",
    },
    "small": {
        "nouns": "valuable small",
        "is": "goods portable",
        "good": "valuable useful beautiful new",
        "bad": "broken old useless",
        "own": "",
        "does": """
            be a present = sein ein Geschenk; belong to my grandmother = gehören meiner Großmutter; fall on the
            floor = fallen auf den Boden; be gone = sein weg; lie under the bed = liegen unter dem Bett""",
        "done": """
            hide I = verstecken I4 -; lose I = verlieren I4 -; need I = brauchen I4 -; pick I up = auf|heben I4 -""",
        "its": "colour = die Farbe; owner = der Besitzer",
    },
}
MASS = """
    bread cheese meat fish rice porridge ham vegetable fruit water milk juice tea coffee beer wine lemonade cocoa
    salad undergrowth straw grass wheat rain snow fog ice heat fire cutlery jewellery paint varnish oil paper wood
    mud chalk advice success honey jam chocolate
"""  # never with *a*
MASS = f"{MASS} {home.MASS} {town.MASS}"
# done with things, by what they are
DONE = {
    "goods": """
        buy I = kaufen I4 -; sell I = verkaufen I4 -; steal I = stehlen I4 -; pay for I = bezahlen I4 -; give I to
        my sister = geben I4 meiner Schwester -; show I to the children = zeigen I4 den Kindern -; like I = mögen I4
        -; find I = finden I4 -; look for I = suchen I4 -; need I = brauchen I4 -; want to have I = wollen I4 -
        haben""",
    "portable": """
        bring I along = mit|bringen I4 -; lose I = verlieren I4 -; leave I at home = lassen I4 - zu Hause; carry I
        home = tragen I4 - nach Hause; hide I under the bed = verstecken I4 - unter dem Bett; take I along =
        mit|nehmen I4 -; put I on the table = legen I4 - auf den Tisch; throw I away = weg|werfen I4 -""",
    "big": """
        clean I = putzen I4 -; photograph I = fotografieren I4 -; see I = sehen I4 -; sell I = verkaufen I4 -; buy I
        = kaufen I4 -""",
    "seen": """
        see I = sehen I4 -; photograph I = fotografieren I4 -; find I = finden I4 -; paint I = malen I4 -; know I =
        kennen I4 -; show I to the children = zeigen I4 den Kindern -""",
    "told": """
        like I = mögen I4 -; understand I = verstehen I4 -; forget I = vergessen I4 -; love I = lieben I4 -; know I
        = kennen I4 -; hate I = hassen I4 -; recommend I to everybody = empfehlen I4 allen -""",
    "alive": """
        see I = sehen I4 -; find I = finden I4 -; look for I = suchen I4 -; love I = lieben I4 -; sell I = verkaufen
        I4 -; photograph I = fotografieren I4 -; hear I = hören I4 -""",
    "eaten": "throw I away = weg|werfen I4 -; cut I into pieces = schneiden I4 - in Stücke",
    "outside": "see I = sehen I4 -",
}
ORDERS = """
    give I to me = gib I4 mir; bring I to me, please = bring I4 mir bitte; show I to me = zeig I4 mir; keep I =
    behalte I4; throw I away = wirf I4 weg; do not buy I = kauf I4 nicht; sell I = verkauf I4; do not lose I =
    verlier I4 nicht; take I with you = nimm I4 mit; do not forget I = vergiss I4 nicht; leave I here = lass I4
    hier; hide I = versteck I4; do not touch I = berühr I4 nicht; look for I = such I4"""

# ─── 4 Scenes with one noun ──────────────────────────────────────────────────────────────────────────────────────────
# what a kind is, then rows in which a person does something with it: to have more of it, to be rid of it, or neither
GET = {
    "goods": """
        buy A = kaufen A4 -; choose A = aus|suchen A4 -; like A = mögen A4 -; love A = lieben A4 -; need A =
        brauchen A4 -; keep A = behalten A4 -; order A = bestellen A4 -; borrow A = leihen A4 -; admire A =
        bewundern A4 -; want to have A = wollen A4 - haben; look for A = suchen A4 -""",
    "told": "like A = mögen A4 -; love A = lieben A4 -; recommend A = empfehlen A4 -; praise A = loben A4 -",
    "seen": """
        like A = mögen A4 -; love A = lieben A4 -; photograph A = fotografieren A4 -; admire A = bewundern A4 -""",
    "portable": "take A along = mit|nehmen A4 -; steal A = stehlen A4 -; pick A up = auf|heben A4 -",
    "alive": "love A = lieben A4 -; buy A = kaufen A4 -; like A = mögen A4 -",
}
RID = {
    "goods": """
        sell A = verkaufen A4 -; give A away = verschenken A4 -; return A = zurück|geben A4 -; hate A = hassen A4 -;
        exchange A = um|tauschen A4 -""",
    "portable": """
        throw A away = weg|werfen A4 -; return A = zurück|bringen A4 -; hide A = verstecken A4 -; leave A at home =
        lassen A4 - zu Hause; put A away = weg|legen A4 -""",
    "told": "hate A = hassen A4 -; criticise A = kritisieren A4 -; forget A = vergessen A4 -",
    "seen": "hate A = hassen A4 -; fear A = fürchten A4 -",
    "alive": "fear A = fürchten A4 -; sell A = verkaufen A4 -; give A away = verschenken A4 -",
    "eaten": "throw A away = weg|werfen A4 -",
}
MEET = {
    "goods": """
        see A = sehen A4 -; find A = finden A4 -; lose A = verlieren A4 -; bring A = bringen A4 -; show us A =
        zeigen uns A4 -; get A = bekommen A4 -; find A in the cellar = finden A4 - im Keller; see A in the shop =
        sehen A4 - im Laden; give my brother A = geben meinem Bruder A4 -; give the children A = geben den Kindern
        A4 -; give Mary A = schenken Maria A4 -; show my mother A = zeigen meiner Mutter A4 -; have A = haben A4 -;
        own A = besitzen A4 -; describe A = beschreiben A4 -; notice A = bemerken A4 -; inherit A = erben A4 -""",
    "portable": """
        lose A = verlieren A4 -; find A in the garden = finden A4 - im Garten; carry A home = tragen A4 - nach
        Hause; forget A at school = vergessen A4 - in der Schule; leave A on the train = vergessen A4 - im Zug; hold
        A in one's hand = halten A4 in der Hand; put A on the table = legen A4 - auf den Tisch; send Tom A =
        schicken Tom A4 -; pick A up = auf|heben A4 -; touch A = berühren A4 -""",
    "big": """
        see A = sehen A4 -; build A = bauen A4 -; describe A = beschreiben A4 -; pay for A = bezahlen A4 -; visit A
        = besuchen A4 -""",
    "driven": "hear A = hören A4 -; see A in front of the house = sehen A4 - vor dem Haus; stop A = stoppen A4 -",
    "seen": """
        see A = sehen A4 -; draw A = zeichnen A4 -; paint A = malen A4 -; discover A = entdecken A4 -; describe A =
        beschreiben A4 -""",
    "told": """
        hear about A = hören - von A3; talk about A = sprechen - über A4; explain A to us = erklären uns A4 -;
        mention A = erwähnen A4 -; think about A = nach|denken - über A4""",
    "alive": """
        see A = sehen A4 -; hear A = hören A4 -; see A in the garden = sehen A4 - im Garten; meet A = treffen A4 -;
        find A under the table = finden A4 - unter dem Tisch; watch A = beobachten A4 -; bring A home = bringen A4 -
        nach Hause; hold A in one's arms = halten A4 im Arm; have A = haben A4 -; notice A = bemerken A4 -""",
    "eaten": "cut A = schneiden A4 -; buy A = kaufen A4 -; bake A = backen A4 -",
    "drunk": "order A = bestellen A4 -; bring A = bringen A4 -; buy A = kaufen A4 -",
    "mine": "show A to the doctor = zeigen dem Arzt A4 -; look at A = betrachten A4 -; wash A = waschen A4 -",
    "outside": "see A from the window = sehen A4 - vom Fenster aus; fear A = fürchten A4 -; hear A = hören A4 -",
}
# the noun itself is the subject
STANDS = {
    "goods": """
        belong to my uncle = gehören meinem Onkel; cost ten euros = kosten zehn Euro; disappear = verschwinden -; be
        a present = sein ein Geschenk; come from France = kommen aus Frankreich""",
    "portable": """
        lie on the table = liegen auf dem Tisch; lie on the floor = liegen auf dem Boden; be in the kitchen = sein
        in der Küche; fall on the floor = fallen auf den Boden; be in my room = sein in meinem Zimmer""",
    "big": "stand in the yard = stehen im Hof; be next to the church = stehen neben der Kirche",
    "driven": "stand in front of the station = stehen vor dem Bahnhof; come round the corner = kommen um die Ecke",
    "alive": """
        sit in front of the door = sitzen vor der Tür; lie under the tree = liegen unter dem Baum; come into the
        room = kommen ins Zimmer; wait in the garden = warten im Garten; stand in the meadow = stehen auf der Wiese;
        look at me = an|sehen mich""",
    "seen": """
        be near the station = sein in der Nähe des Bahnhofs; look beautiful = aus|sehen schön; be well known = sein
        bekannt""",
    "told": "be well known = sein bekannt; surprise us = überraschen uns; interest me = interessieren mich -",
    "lying": "lie on my desk = liegen auf meinem Schreibtisch; be on the shelf = stehen im Regal",
    "worn": "hang on the door = hängen2 an der Tür; lie on the chair = liegen auf dem Stuhl",
    "eaten": "be on the plate = liegen auf dem Teller; be in the fridge = sein im Kühlschrank",
    "drunk": "be in the fridge = sein im Kühlschrank; be on the table = stehen auf dem Tisch",
    "mine": "hurt = weh|tun -",
    "outside": "come suddenly = kommen plötzlich; last all night = dauern die ganze Nacht",
}
SHOWING = "this = das; that = das; here = hier"  # this is A
ASKING = {  # before an answer with *it*
    "goods": """
        where is A = wo ist A1; have you seen A = hast du A4 gesehen; do you like A = gefällt dir A1; whose is A =
        wem gehört A1; what is wrong with A = was ist mit A3 los; did you find A = hast du A4 gefunden; do you need
        A = brauchst du A4; how much was A = wie viel hat A1 gekostet; why did you buy A = warum hast du A4 gekauft""",
    "told": """
        do you know A = kennst du A4; what do you think of A = was hältst du von A3; how was A = wie war A1; do you
        like A = gefällt dir A1; what about A = was ist mit A3""",
    "alive": """
        where is A = wo ist A1; have you seen A = hast du A4 gesehen; do you hear A = hörst du A4; what is wrong
        with A = was ist mit A3 los; what is A doing = was macht A1; whose is A = wem gehört A1""",
    "seen": "do you see A = siehst du A4; where is A = wo ist A1; do you know A = kennst du A4",
    "eaten": "how was A = wie war A1; do you like A = schmeckt dir A1",
    "drunk": "where is A = wo ist A1; do you like A = schmeckt dir A1",
    "mine": "what is wrong with A = was ist mit A3 los",
    "driven": "do you see A = siehst du A4; where is A = wo ist A1",
    "outside": "do you hear A = hörst du A4",
}

PASSIVE = "steal = stehlen; sell = verkaufen; find = finden; buy = kaufen; bring back = zurück|bringen"
CONDITIONS = "find A = finden A4 -; see A = sehen A4 -; need A = brauchen A4 -; buy A = kaufen A4 -"  # if you …

# ─── 5 Scenes with two nouns ─────────────────────────────────────────────────────────────────────────────────────────
# who (S a person, A the noun), kinds of A, kinds of B, row
SCENES = [
    ("S", "text clothes fruit blade small", "container", "put A into B = legen A4 - in B4"),
    ("S", "text clothes fruit blade small", "container", "take A out of B = nehmen A4 - aus B3"),
    ("S", "text clothes blade device fruit small", "container building vehicle", "find A in B = finden A4 - in B3"),
    ("S", "text clothes instrument device container", "vehicle building", "forget A in B = vergessen A4 - in B3"),
    ("S", "text clothes blade fruit", "furniture", "put A on B = legen A4 - auf B4"),
    ("S", "vessel device container instrument plant", "furniture", "put A next to B = stellen A4 - neben B4"),
    ("S", "animal vehicle", "building plant", "see A in front of B = sehen A4 - vor B3"),
    ("S", "animal vehicle", "building plant river", "photograph A in front of B = fotografieren A4 - vor B3"),
    ("S", "text food clothes instrument device plant vessel fruit",
     "text clothes instrument device plant vessel drink", "buy A and B = kaufen A4 und B4"),
    ("S", "text food clothes instrument device plant vessel fruit",
     "text clothes instrument device plant drink animal", "bring A and B = mit|bringen A4 und B4"),
    ("S", "text clothes instrument device vehicle plant animal",
     "instrument device animal furniture vehicle container", "exchange A for B = tauschen A4 - gegen B4"),
    ("S", "text clothes instrument device animal vehicle", "building plant river street furniture",
     "show me A and B = zeigen mir A4 und B4"),
    ("S", "text", "building vehicle", "read A in B = lesen A4 - in B3"),
    ("S", "food fruit", "blade", "cut A with B = schneiden A4 - mit B3"),
    ("S", "food", "building vehicle ship", "eat A in B = essen A4 - in B3"),
    ("S", "food", "drink", "order A and B = bestellen A4 und B4"),
    ("S", "drink", "text clothes device furniture", "pour A over B = gießen A4 - über B4"),
    ("S", "drink", "vessel", "pour A into B = gießen A4 - in B4"),
    ("S", "vessel device animal", "clothes", "wrap A in B = wickeln A4 - in B4"),
    ("S", "animal", "plant vehicle", "tie A to B = binden A4 - an B4"),
    ("S", "furniture container instrument device", "building vehicle ship", "carry A into B = tragen A4 - in B4"),
    ("S", "instrument", "building plant", "play A in front of B = spielen A4 - vor B3"),
    ("S", "plant", "building river street", "plant A next to B = pflanzen A4 - neben B4"),
    ("S", "vehicle animal", "river", "pull A out of B = ziehen A4 - aus B3"),
    ("S", "vehicle", "plant building", "park A behind B = parken A4 - hinter B3"),
    ("S", "text small", "clothes furniture plant vessel", "hide A under B = verstecken A4 - unter B3"),
    ("S", "clothes", "furniture plant", "hang A over B = hängen A4 - über B4"),
    ("S", "film text", "animal building ship", "like A about B = mögen A4 über B4 -"),
    ("S", "proposal", "text film", "compare A with B = vergleichen A4 - mit B3"),
    ("S", "text song", "meeting", "need A for B = brauchen A4 - für B4"),
    ("S", "animal", "vehicle container", "get A out of B = holen A4 - aus B3"),
    ("S", "food", "animal", "cook A for B = kochen A4 - für B4"),
    ("A", "animal", "food fruit", "eat B = fressen B4 -"),
    ("A", "animal", "building vehicle plant", "run past B = vorbei|laufen - an B3"),
    ("A", "animal", "furniture plant vehicle", "sit under B = sitzen - unter B3"),
    ("A", "animal", "building furniture container", "sleep in front of B = schlafen - vor B3"),
    ("A", "animal", "vehicle", "follow B = folgen B3 -"),
    ("A", "animal", "clothes text", "tear B up = zerreißen B4 -"),
    ("A", "animal", "vessel plant", "knock B over = um|werfen B4 -"),
    ("A", "animal", "container ship", "jump into B = springen - in B4"),
    ("A", "animal", "fruit food", "smell B = riechen B4 -"),
    ("A", "animal", "drink", "drink B = trinken B4 -"),
    ("A", "vehicle", "building plant", "stand in front of B = stehen - vor B3"),
    ("A", "vehicle", "building plant", "hit B = rammen B4 -"),
    ("A", "plant", "building furniture river", "stand next to B = stehen - neben B3"),
    ("A", "plant building", "river street", "be near B = liegen - an B3"),
    ("A", "text clothes blade fruit", "instrument device vessel furniture", "lie next to B = liegen - neben B3"),
    ("A", "vessel text blade fruit", "furniture vehicle clothes", "fall onto B = fallen - auf B4"),
    ("A", "street", "river building", "lead to B = führen - zu B3"),
]

# ─── 6 Events ────────────────────────────────────────────────────────────────────────────────────────────────────────
# who, row, whether it happened (did) or not, reasons of A, reasons of B; beside those of pronoun_words.py
EVENTS: list[tuple[str, ...]] = [
    ("A", "overtake B = überholen B4", "did", "motor: fast, new, impatient", "motor: slow, old, broken"),
    ("A", "chase B = jagen B4", "did", "hunter: hungry, wild, playful, angry", "prey: slow, fat, careless"),
    ("A", "frighten B = erschrecken B4", "did", "hunter: loud, wild, big, angry", "prey: shy, young, nervous"),
    ("A", "wake B = wecken B4", "did", "machine: loud", "animal: nervous, hungry"),
    ("A", "wake B = wecken B4 -", "not", "machine: quiet", "animal: tired, exhausted, sleepy, ill"),
    ("A", "carry B = tragen B4 -", "not", "puller: weak, old, tired, ill, exhausted", "heavy: heavy, large"),
    ("A", "hold B = halten B4 -", "not", "hook: thin, weak, rusty, loose", "heavy: heavy, large; decoration: heavy"),
    ("A", "block B = versperren B4", "did", "motor: wide, long, large, broken", "passage: narrow; street: narrow"),
    ("A", "destroy B = zerstören B4", "did", "weather: strong, violent",
     "building: old, unstable; bridge: old, weak, narrow"),
    ("A", "fit under B = passen - unter B4", "not", "container: high, big, large",
     "seat: low, small; furniture: low, small"),
    ("A", "reach B = erreichen B4 -", "not", "animal: slow, tired, small, exhausted", "height: steep, icy"),
    ("A", "hide behind B = stehen hinter B3", "did", "animal: shy, scared, nervous", "screen: dense, wide"),
    ("A", "eat from B = fressen - aus B3", "not", "animal: ill, shy, full, scared", "vessel: dirty, empty, deep"),
    ("A", "leave B = verlassen B4 -", "not", "animal: ill, lazy, injured, sleepy",
     "cage: warm, cosy, locked, comfortable"),
    ("A", "grow next to B = wachsen - neben B3", "not", "green: weak, ill, young", "building: high, large"),
    ("S", "cover A with B = zu|decken A4 mit B3", "did", "green: young, weak; seat: wet, dirty",
     "cover: warm, thick, soft, dry"),
    ("S", "lean A against B = lehnen A4 - an B4", "not", "furniture: heavy, long, wide",
     "screen: unstable, wet, low"),
    ("S", "tie A to B = binden A4 an B4", "did", "animal: wild, nervous, young, playful", "screen: strong"),
    ("S", "fill A with B = füllen A4 mit B3", "did", "vessel: empty, clean", "drink: fresh, delicious, sweet"),
    ("S", "cook A in B = kochen A4 in B3", "did", "food: raw, tough, fresh", "pot: empty, clean, large, new"),
    ("S", "wash A in B = waschen A4 in B3", "did", "clothes: dirty, muddy", "water: clean, warm, shallow"),
    ("S", "write A with B = schreiben A4 - mit B3", "not", "writing: long, difficult, complicated",
     "pen: broken, blunt, empty, short"),
    ("S", "light A with B = an|zünden A4 - mit B3", "not", "burning: wet, damp", "lighter: broken, empty"),
    ("S", "fix A with B = befestigen A4 - mit B3", "not", "decoration: heavy, large",
     "hook: short, rusty, thin, weak"),
    ("S", "see A through B = sehen A4 - durch B4", "not", "small sight: small, low", "pane: dirty, thick, dense"),
    ("S", "catch A with B = fangen A4 - mit B3", "not", "prey: fast, clever, large", "net: torn, broken"),
    ("S", "pull A out of B = ziehen A4 - aus B3", "not", "motor: heavy, large; animal: fat, nervous",
     "mud: deep, muddy, icy"),
    ("S", "push A through B = schieben A4 - durch B4", "not", "furniture: wide, high, long", "opening: narrow, low"),
    ("S", "paint A with B = streichen A4 - mit B3", "not", "seat: wet, dirty", "paint: dry, thick, expensive"),
    ("S", "take A to B = bringen A4 - zu B3", "not", "furniture: heavy, fragile, valuable",
     "building: stuffy, crowded, closed"),
    ("S", "read A in B = lesen A4 - in B3", "not", "writing: boring, difficult, long",
     "reading place: loud, dark, crowded"),
    ("S", "carry A up B = hinauf|tragen A4 - B4", "not", "container: heavy, large, fragile",
     "steps: steep, slippery, icy, narrow"),
    ("S", "cross B with A = überqueren B4 - mit A3", "not", "motor: heavy, wide, slow",
     "bridge: narrow, weak, icy, unstable"),
    ("S", "eat A with B = essen A4 - mit B3", "not", "food: hot, tough, hard, burnt", "spoon: dirty, bent, broken"),
    ("S", "wear A with B = tragen A4 - mit B3", "not", "suit: torn, dirty, wet", "shoe: uncomfortable, old-fashioned"),
    ("S", "repair A with B = reparieren A4 - mit B3", "not", "motor: complicated, old, modern",
     "tool: blunt, bent, short"),
    ("S", "stop A in front of B = stoppen A4 - vor B3", "not", "motor: fast, heavy", "barrier: low"),
]
EVENTS += town.EVENTS + home.EVENTS

# ─── 7 Contests ──────────────────────────────────────────────────────────────────────────────────────────────────────
# kinds of both nouns, better = German, worse = German
CONTESTS = [
    ("motor",
     "faster = schneller; cheaper = billiger; safer = sicherer; newer = neuer; better = besser; quieter = leiser",
     "slower = langsamer; louder = lauter; older = älter; more expensive = teurer; worse = schlechter; "
     "uglier = hässlicher"),
    ("device gadget",
     "cheaper = billiger; newer = neuer; better = besser; lighter = leichter; more modern = moderner",
     "slower = langsamer; heavier = schwerer; older = älter; more expensive = teurer; louder = lauter"),
    ("clothes suit",
     "warmer = wärmer; cheaper = billiger; prettier = schöner; softer = weicher; more elegant = eleganter",
     "uglier = hässlicher; older = älter; more expensive = teurer; thinner = dünner"),
    ("furniture seat", "more comfortable = bequemer; cheaper = billiger; prettier = schöner; lighter = leichter",
     "harder = härter; heavier = schwerer; more expensive = teurer; uglier = hässlicher"),
    ("text writing",
     "shorter = kürzer; funnier = lustiger; better = besser; more interesting = interessanter; "
     "more exciting = spannender",
     "longer = länger; more boring = langweiliger; worse = schlechter; more difficult = schwieriger"),
    ("animal pet", "cleverer = klüger; stronger = stärker; faster = schneller; quieter = ruhiger; prettier = schöner",
     "slower = langsamer; older = älter; lazier = fauler; weaker = schwächer; louder = lauter"),
    ("building house",
     "quieter = ruhiger; cheaper = billiger; prettier = schöner; brighter = heller; bigger = größer",
     "louder = lauter; darker = dunkler; smaller = kleiner; more expensive = teurer; uglier = hässlicher"),
    ("food fruit dish",
     "better = besser; fresher = frischer; cheaper = billiger; sweeter = süßer; healthier = gesünder",
     "drier = trockener; worse = schlechter; more expensive = teurer; fattier = fetter"),
    ("film song", "funnier = lustiger; better = besser; shorter = kürzer; more exciting = spannender",
     "longer = länger; more boring = langweiliger; worse = schlechter; sadder = trauriger"),
    ("proposal", "better = besser; fairer = gerechter; cheaper = billiger; simpler = einfacher; clearer = klarer",
     "worse = schlechter; more complicated = komplizierter; more expensive = teurer; riskier = riskanter"),
    ("instrument", "better = besser; cheaper = billiger; lighter = leichter; older = älter",
     "worse = schlechter; louder = lauter; heavier = schwerer; more expensive = teurer"),
]

CHOOSING = "buy I = kaufen I4 -; choose I = aus|suchen I4 -; take I = nehmen I4 -; like I = mögen I4 -"

# ─── 8 Joints ────────────────────────────────────────────────────────────────────────────────────────────────────────
# F first clause, S the one with *it*; in German also "i" inverted and "s" subordinate; then how often.
JOINTS: dict[str, dict[str, tuple[str, str, int]]] = {
    "reason": {
        "because": ("{F} because {S}.", "{F}, weil {Ss}.", 5),
        "because first": ("Because {S}, {F}.", "Weil {Ss}, {Fi}.", 2),
        "as": ("{F}, as {S}.", "{F}, da {Ss}.", 1),
        "since": ("{F} since {S}.", "{F}, da {Ss}.", 1),
        "since first": ("Since {S}, {F}.", "Da {Ss}, {Fi}.", 1),
        "for": ("{F}, for {S}.", "{F}, denn {S}.", 1),
        "two sentences": ("{F}. {S}.", "{F}. {S}.", 3),
        "after all": ("{F}. After all, {S}.", "{F}. Schließlich {Si}.", 1),
        "colon": ("{F}: {S}.", "{F}: {S}.", 1),
        "why": ("{F}. - Why? - Because {S}.", "{F}. - Warum? - Weil {Ss}.", 1),
        "the reason": ("{F}. The reason is that {S}.", "{F}. Der Grund ist, dass {Ss}.", 1),
        "that is because": ("{F}. That is because {S}.", "{F}. Das liegt daran, dass {Ss}.", 1),
    },
    "contrast": {
        "but": ("{F}, but {S}.", "{F}, aber {S}.", 5),
        "although": ("{F} although {S}.", "{F}, obwohl {Ss}.", 3),
        "even though": ("{F} even though {S}.", "{F}, obwohl {Ss}.", 1),
        "although first": ("Although {S}, {F}.", "Obwohl {Ss}, {Fi}.", 1),
        "however": ("{F}. However, {S}.", "{F}. Allerdings {Si}.", 1),
    },
    "addition": {
        "two sentences": ("{F}. {S}.", "{F}. {S}.", 6),
        "semicolon": ("{F}; {S}.", "{F}; {S}.", 1),
        "and": ("{F}, and {S}.", "{F}, und {S}.", 3),
        "but": ("{F}, but {S}.", "{F}, aber {S}.", 3),
        "two speakers": ("{F}. - Yes, {S}.", "{F}. - Ja, {S}.", 1),
        "I think": ("{F}. I think {S}.", "{F}. Ich glaube, {S}.", 1),
        "I think that": ("{F}. I think that {S}.", "{F}. Ich glaube, dass {Ss}.", 1),
        "he says": ("{F}. He says that {S}.", "{F}. Er sagt, dass {Ss}.", 1),
        "perhaps": ("{F}. Perhaps {S}.", "{F}. Vielleicht {Si}.", 1),
        "of course": ("{F}. Of course {S}.", "{F}. Natürlich {Si}.", 1),
        "unfortunately": ("{F}. Unfortunately, {S}.", "{F}. Leider {Si}.", 1),
    },
    "consequence": {
        "so": ("{F}, so {S}.", "{F}, deshalb {Si}.", 4),
        "that is why": ("{F}. That's why {S}.", "{F}. Deshalb {Si}.", 2),
        "which is why": ("{F}, which is why {S}.", "{F}, weshalb {Ss}.", 1),
        "and": ("{F}, and {S}.", "{F}, und {S}.", 1),
        "two sentences": ("{F}. {S}.", "{F}. {S}.", 2),
        "because of that": ("{F}. Because of that, {S}.", "{F}. Darum {Si}.", 1),
    },
    "sequence": {
        "two sentences": ("{F}. {S}.", "{F}. {S}.", 4),
        "then": ("{F}. Then {S}.", "{F}. Dann {Si}.", 2),
        "and then": ("{F}, and then {S}.", "{F}, und dann {Si}.", 2),
        "and": ("{F}, and {S}.", "{F}, und {S}.", 3),
        "before": ("{F} before {S}.", "{F}, bevor {Ss}.", 2),
        "when first": ("When {F}, {S}.", "Als {Fs}, {Si}.", 2),
        "after first": ("After {F}, {S}.", "Nachdem {Fs}, {Si}.", 2),
        "as soon as": ("As soon as {F}, {S}.", "Sobald {Fs}, {Si}.", 1),
        "later": ("{F}. Later {S}.", "{F}. Später {Si}.", 1),
    },
    "wish": {
        "because": ("{F} because {S}.", "{F}, weil {Ss}.", 4),
        "two sentences": ("{F}. {S}.", "{F}. {S}.", 2),
        "as": ("{F}, as {S}.", "{F}, da {Ss}.", 1),
        "for": ("{F}, for {S}.", "{F}, denn {S}.", 1),
        "because first": ("Because {S}, {F}.", "Weil {Ss}, {Fi}.", 1),
    },
    "purpose": {"to": ("{F} to {S}.", "{F}, um {S}.", 2), "in order to": ("{F} in order to {S}.", "{F}, um {S}.", 1)},
    "so that": {"so that": ("{F} so that {S}.", "{F}, damit {Ss}.", 1)},
    "degree": {"so … that": ("{F} that {S}.", "{F}, dass {Ss}.", 1)},
    "if": {"if": ("If {F}, {S}.", "Wenn {Fs}, {Si}.", 1)},
    "time": {  # of tales
        "until": ("{F} until {S}.", "{F}, bis {Ss}.", 1),
        "while": ("{F} while {S}.", "{F}, während {Ss}.", 3),
        "while it": ("While {S}, {F}.", "Während {Ss}, {Fi}.", 1),
        "when": ("{F} when {S}.", "{F}, als {Ss}.", 3),
        "when it": ("When {S}, {F}.", "Als {Ss}, {Fi}.", 1),
        "before": ("{F} before {S}.", "{F}, bevor {Ss}.", 3),
        "before it": ("Before {S}, {F}.", "Bevor {Ss}, {Fi}.", 1),
        "after": ("{F} after {S}.", "{F}, nachdem {Ss}.", 3),
        "after it": ("After {S}, {F}.", "Nachdem {Ss}, {Fi}.", 1),
        "as soon as": ("{F} as soon as {S}.", "{F}, sobald {Ss}.", 1),
    },
    "answer": {
        "dash": ("{F}? - {S}.", "{F}? - {S}.", 4),
        "plain": ("{F}? {S}.", "{F}? {S}.", 3),
        "I think": ("{F}? - I think {S}.", "{F}? - Ich glaube, {S}.", 1),
        "quotes": ('"{F}?" "{S}."', "„{F}?“ „{S}.“", 1),
    },
}
STARTS = (  # that begin after something has happened
    "after first", "when first", "as soon as", "so that", "to", "in order to", "then", "and then", "later", "before",
)
SHORT = """
    did not = didn't; does not = doesn't; do not = don't; could not = couldn't; was not = wasn't; is not = isn't;
    it is = it's; cannot = can't; will not = won't; I will = I'll; I am = I'm; has not = hasn't; were not =
    weren't; have not = haven't
"""
