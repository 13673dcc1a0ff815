"""The words of the pronoun sentences, and what happens in them, as tables for pronouns.py.

    1  Nouns        by kind: what belongs together in a frame
    2  Reasons      adjectives and phrases that *it* can be the subject of; persons; colours
    3  Frames       who does what with what, and which reasons are whose
    4  The lexicon  tables of the sentences with the words of the documents' examples

A new word is a new entry.
"""

from __future__ import annotations

from corpora import antecedent_home as home
from corpora import antecedent_tales as tales
from corpora import antecedent_town as town

# fmt: off
# ─── 1 Nouns ─────────────────────────────────────────────────────────────────────────────────────────────────────────
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
        cupboard = der Schrank; bed = das Bett; board = das Brett; chest of drawers = die Kommode; tray = das
        Tablett""",
    "decoration": """
        picture = das Bild; mirror = der Spiegel; clock = die Uhr; lamp = die Lampe; painting = das Gemälde;
        carpet = der Teppich; photo = das Foto; map = die Karte; poster = das Plakat; calendar = der Kalender""",
    "hook": "hook = der Haken; nail = der Nagel; wall = die Wand; rope = das Seil; chain = die Kette; "
    "thread = der Faden",
    "missile": "ball = der Ball; stone = der Stein; hammer = der Hammer; snowball = der Schneeball; apple = der Apfel; "
    "potato = die Kartoffel; nut = die Nuss; coin = die Münze; egg = das Ei; orange = die Orange; tomato = die Tomate",
    "bouncer": "ball = der Ball; stone = der Stein; hammer = der Hammer; nut = die Nuss; coin = die Münze; "
    "bullet = die Kugel; stick = der Stock; hailstone = das Hagelkorn; shell = die Muschel; "
    "toy car = das Spielzeugauto",
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
    "bridge": "bridge = die Brücke; pier = der Steg; plank = das Brett; road = die Straße; dam = der Damm; "
    "path = der Weg",
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
    "thicket": "hedge = die Hecke; bush = der Busch; forest = der Wald; undergrowth = das Gebüsch; "
    "curtain = der Vorhang; "
    "smoke = der Rauch; wood = das Gehölz",
    "machine": """
        machine = die Maschine; vacuum cleaner = der Staubsauger; drum = die Trommel; train = der Zug;
        motorbike = das Motorrad; aeroplane = das Flugzeug; saw = die Säge; tractor = der Traktor; radio = das Radio;
        bell = die Glocke; lawnmower = der Rasenmäher; fireworks display = das Feuerwerk; helicopter = der
        Hubschrauber""",
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
        oven = der Ofen; fridge = der Kühlschrank; telescope = das Fernrohr; navigation device = das
        Navigationsgerät""",
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
    # what antecedents.py tells of besides
    "writing": """
        book = das Buch; letter = der Brief; note = der Zettel; postcard = die Postkarte; textbook = das Lehrbuch;
        e-mail = die E-Mail; essay = der Aufsatz; brochure = der Prospekt; dictionary = das Wörterbuch; message =
        die Nachricht; guidebook = der Reiseführer; list = die Liste; comic = der Comic; speech = die Rede; menu =
        die Speisekarte; notebook = das Heft; recipe = das Rezept""",
    "dish": """
        breakfast = das Frühstück; pudding = der Pudding; sauce = die Soße; sandwich = das Sandwich; roast = der
        Braten; omelette = das Omelett; pancake = der Pfannkuchen; chocolate = die Schokolade; roll = das Brötchen;
        chicken = das Hähnchen; honey = der Honig; jam = die Marmelade; ice cream = das Eis; burger = der Burger""",
    "pet": """
        dog = der Hund; cat = die Katze; parrot = der Papagei; horse = das Pferd; hamster = der Hamster; bird = der
        Vogel; puppy = der Welpe Welpen; guinea pig = das Meerschweinchen; rabbit = das Kaninchen; bear = der Bär
        Bären; snake = die Schlange; donkey = der Esel; lion = der Löwe Löwen; mouse = die Maus; hare = der Hase
        Hasen""",
    "suit": """
        suit = der Anzug; T-shirt = das T-Shirt; uniform = die Uniform; costume = das Kostüm; bathrobe = der
        Bademantel; waistcoat = die Weste; sweater = der Pulli; swimsuit = der Badeanzug; wedding dress = das
        Brautkleid; anorak = der Anorak; raincoat = der Regenmantel""",
    "motor": """
        car = das Auto; bus = der Bus; truck = der Lastwagen; motorbike = das Motorrad; taxi = das Taxi; van = der
        Lieferwagen; ambulance = der Krankenwagen; sports car = der Sportwagen; tractor = der Traktor; police car =
        das Polizeiauto; caravan = der Wohnwagen; moped = das Moped; limousine = die Limousine; vehicle = das
        Fahrzeug; hearse = der Leichenwagen""",
    "gadget": """
        laptop = der Laptop; mobile phone = das Handy; alarm clock = der Wecker; calculator = der Taschenrechner;
        hairdryer = der Föhn; toaster = der Toaster; coffee machine = die Kaffeemaschine; screen = der Bildschirm;
        heater = die Heizung; torch = die Taschenlampe; vacuum cleaner = der Staubsauger; microwave = die
        Mikrowelle; tablet = das Tablet; loudspeaker = der Lautsprecher; lift = der Aufzug; keyboard = die Tastatur""",
    "house": """
        house = das Haus; flat = die Wohnung; villa = die Villa; farm = der Bauernhof; office = das Büro;
        supermarket = der Supermarkt; hospital = das Krankenhaus; café = das Café; bakery = die Bäckerei; cinema =
        das Kino; library = die Bibliothek; airport = der Flughafen; restaurant = das Restaurant; skyscraper = der
        Wolkenkratzer; kiosk = der Kiosk; cathedral = der Dom; hall = die Halle""",
    "green": """
        flower = die Blume; tree = der Baum; bush = der Busch; rose = die Rose; tulip = die Tulpe; oak = die Eiche;
        apple tree = der Apfelbaum; cactus = der Kaktus; sunflower = die Sonnenblume; violet = das Veilchen; daisy =
        das Gänseblümchen; fir tree = der Tannenbaum; herb = das Kraut; palm tree = die Palme""",
    "seat": """
        chair = der Stuhl; table = der Tisch; sofa = das Sofa; bench = die Bank; bed = das Bett; stool = der Hocker;
        armchair = der Sessel; couch = die Couch; desk = der Schreibtisch; shelf = das Regal; cradle = die Wiege;
        chest of drawers = die Kommode; wardrobe = der Kleiderschrank; sideboard = das Büfett""",
    "film": """
        film = der Film; series = die Serie; programme = die Sendung; video = das Video; cartoon = der
        Zeichentrickfilm; documentary = die Dokumentation; play = das Theaterstück; opera = die Oper; musical = das
        Musical; thriller = der Krimi; comedy = die Komödie; match = das Spiel; western = der Western""",
    "song": """
        song = das Lied; melody = die Melodie; hit = der Schlager; anthem = die Hymne; folk song = das Volkslied;
        waltz = der Walzer; lullaby = das Wiegenlied; march = der Marsch; ballad = die Ballade""",
    "meeting": """
        party = die Party; meeting = die Besprechung; exam = die Prüfung; trip = der Ausflug; journey = die Reise;
        festival = das Fest; wedding = die Hochzeit; concert = das Konzert; course = der Kurs; appointment = der
        Termin; competition = der Wettbewerb; conversation = das Gespräch; meal = das Essen; conference = die
        Konferenz; talk = der Vortrag; seminar = das Seminar; dance = der Tanz; game = das Spiel; visit = der Besuch""",
    "thought": """
        answer = die Antwort; secret = das Geheimnis; mistake = der Fehler; dream = der Traum; lie = die Lüge;
        rumour = das Gerücht; promise = das Versprechen; advice = der Rat; wish = der Wunsch; decision = die
        Entscheidung; question = die Frage; problem = das Problem; reason = der Grund; joke = der Witz; word = das
        Wort; story = die Geschichte; name = der Name Namen; sentence = der Satz; event = das Ereignis; thought =
        der Gedanke Gedanken; sign = das Zeichen; experience = die Erfahrung; success = der Erfolg; experiment = das
        Experiment; accident = der Unfall; result = das Ergebnis""",
    "body": """
        leg = das Bein; foot = der Fuß; hand = die Hand; knee = das Knie; tooth = der Zahn; arm = der Arm; eye = das
        Auge; finger = der Finger; nose = die Nase; toe = der Zeh; shoulder = die Schulter; back = der Rücken; ear =
        das Ohr; wound = die Wunde; head = der Kopf""",
    "weather": """
        storm = der Sturm; rain = der Regen; thunderstorm = das Gewitter; flood = die Flut; hurricane = der Orkan;
        earthquake = das Erdbeben; wave = die Welle; wind = der Wind; avalanche = die Lawine; high water = das
        Hochwasser""",
    "small": """
        key = der Schlüssel; ring = der Ring; coin = die Münze; pen = der Stift; wallet = der Geldbeutel; purse =
        das Portemonnaie; necklace = die Kette; stamp = die Briefmarke; passport = der Pass; ticket = die Fahrkarte;
        umbrella = der Regenschirm; photo = das Foto; toy = das Spielzeug; ball = der Ball; doll = die Puppe;
        present = das Geschenk; button = der Knopf; comb = der Kamm; needle = die Nadel; bell = das Glöckchen""",
    "shore": "sea = das Meer; lagoon = die Lagune; spring = die Quelle; bay = die Bucht; reservoir = das Staubecken",
    "cover": """
        blanket = die Decke; cloth = das Tuch; sack = der Sack; sheet = das Laken; carpet = der Teppich; tarpaulin =
        die Plane; coat = der Mantel""",
    "pot": """
        pot = der Topf; pan = die Pfanne; kettle = der Kessel; oven = der Ofen; bowl = die Schüssel; wok = der Wok""",
    "pen": """
        pen = der Kugelschreiber; pencil = der Bleistift; fountain pen = der Füller; chalk = die Kreide; typewriter
        = die Schreibmaschine; brush = der Pinsel""",
    "burning": """
        candle = die Kerze; fire = das Feuer; oven = der Ofen; cigarette = die Zigarette; wood = das Holz; torch =
        die Fackel; paper = das Papier; rocket = die Rakete""",
    "lighter": "lighter = das Feuerzeug; match = das Streichholz; torch = die Fackel",
    "pane": """
        window = das Fenster; window pane = die Scheibe; curtain = der Vorhang; glass = das Glas; fog = der Nebel""",
    "net": "net = das Netz; trap = die Falle; rope = das Seil; sack = der Sack; cage = der Käfig",
    "mud": """
        ditch = der Graben; swamp = der Sumpf; lake = der See; hole = das Loch; mud = der Schlamm; pond = der Teich;
        puddle = die Pfütze""",
    "steps": "staircase = die Treppe; hill = der Hügel; ladder = die Leiter; path = der Weg; slope = der Hang",
    "spoon": "spoon = der Löffel; fork = die Gabel; knife = das Messer; cutlery = das Besteck",
    "shoe": "shoe = der Schuh; belt = der Gürtel; tie = die Krawatte; scarf = der Schal; jewellery = der Schmuck",
    "paint": "paint = die Farbe; brush = der Pinsel; varnish = der Lack; oil = das Öl",
}
NOUNS |= tales.NOUNS | town.NOUNS | home.NOUNS  # of which antecedents.py alone tells

# ─── 2 Reasons ───────────────────────────────────────────────────────────────────────────────────────────────────────
# English = German; "!" has no degrees.
ADJECTIVES = """
    tired = müde; weak = schwach; ill = krank!; scared = ängstlich; nervous = nervös; lazy = faul; shy = scheu;
    hungry = hungrig; thirsty = durstig; exhausted = erschöpft!; sleepy = schläfrig; fat = dick; full = satt;
    greedy = gierig; curious = neugierig; young = jung; slow = langsam; fast = schnell; brave = mutig; strong = stark;
    wild = wild; angry = wütend; impatient = ungeduldig; injured = verletzt!; playful = verspielt; bored = gelangweilt!;
    clever = klug; old = alt; wide = breit; busy = belebt; slippery = glatt; long = lang; deep = tief; muddy =
    schlammig;
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
    neu!; valuable = wertvoll; empty = leer!; open = offen!; torn = zerrissen!; wet = nass; famous = berühmt;
    important =
    wichtig; conservative = konservativ; undecided = unentschlossen!; desperate = verzweifelt; reasonable = vernünftig;
    fair = gerecht; risky = riskant; useful = nützlich; unknown = unbekannt!; elegant = elegant; old-fashioned =
    altmodisch; stiff = steif; frozen = zugefroren!; stuffy = stickig; large = groß; short = kurz; fragile =
    zerbrechlich; unstable = instabil; poisonous = giftig; careless = unvorsichtig; rough = stürmisch; sharp =
    scharf; sad = traurig; cold = kalt; dark = dunkel; uncomfortable = unbequem; violent = heftig; rare = selten;
    safe = sicher; useless = nutzlos; strange = seltsam; closed = geschlossen!
"""
ADJECTIVES = f"{home.ADJECTIVES}; {ADJECTIVES}; {town.ADJECTIVES}"

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
PHRASES = f"{PHRASES}; {home.PHRASES}"

# English = German, then the person of the verb: 1 ich, 4 wir, 3 all others
PERSONS = """
    I = ich 1; we = wir 4; Tom = Tom 3; Mary = Maria 3; the woman = die Frau 3; the man = der Mann 3; the teacher = der
    Lehrer 3; the student = der Student 3; my father = mein Vater 3; my sister = meine Schwester 3; the boy = der
    Junge 3;
    our neighbour = unser Nachbar 3; the farmer = der Bauer 3; my aunt = meine Tante 3; the old man = der alte Mann 3;
    the doctor = der Arzt 3; her brother = ihr Bruder 3; the girl = das Mädchen 3; the workers = die Arbeiter 4
"""
LOOKS = {  # adjectives that say nothing about the reason
    "animal": "brown = braun; black = schwarz; white = weiß; grey = grau; little = klein; stray = streunend",
    "thing": "red = rot; blue = blau; green = grün; black = schwarz; white = weiß; brown = braun; yellow = gelb",
}
OWNED = """
    animal hunter puller goods clothes vehicle piece toy container closable vessel furniture ship device instrument
    valuable text decoration blade building standing
"""  # kinds of nouns that can be mine or ours
SIZES_AND_AGES = "young old new big small large high low wide narrow long short thick thin fat heavy modern fresh dirty"

# ─── 3 Frames ────────────────────────────────────────────────────────────────────────────────────────────────────────
TIRED = "tired, weak, ill, exhausted, lazy, sleepy, nervous, injured, scared, wants to sleep, needs a rest, feels ill"
KEEN = "hungry, greedy, impatient"
NO = "not could wanted although"
SHABBY = ("vehicle: broken, old, rusty, ugly, slow, does not work, makes too much noise; device: broken, old, ugly, "
      "slow, "
          "old-fashioned, does not work; furniture: broken, ugly, old, wobbly, old-fashioned; "
          "instrument: broken, old, ugly; clothes: torn, ugly, old, old-fashioned, has a hole")
SPLENDID = ("vehicle: cheap, modern, practical, fast, beautiful, useful; device: cheap, modern, practical, beautiful, "
          "useful; furniture: cheap, modern, comfortable, elegant, practical; instrument: cheap, beautiful, light; "
            "clothes: cheap, elegant, beautiful, warm, practical")
EVENTS = [  # name, subject, English, German, moods, reasons of A, reasons of B
    ("cross", "A", "cross crosses crossed: B", "überqueren überquert überquerte: B4 -", NO,
     f"animal: {TIRED}, slow, has a sore foot",
     "street: wide, busy, slippery, long, icy; field: muddy, wide, large; water: wide, deep"),
    ("walk across", "A", "walk walks walked: across B", "gehen geht ging: - über B4", NO,
     f"animal: {TIRED}, slow, has a sore foot", "street: wide, busy, slippery, icy; bridge: narrow, slippery, "
                "icy"),
    ("jump over", "A", "jump jumps jumped: over B", "springen springt sprang: - über B4", NO,
     f"animal: {TIRED}, fat", "barrier: high, wide; water: wide, deep"),
    ("climb", "A", "climb climbs climbed: up B", "klettern klettert kletterte: - auf B4", NO,
     f"animal: {TIRED}, fat", "height: high, steep, slippery, icy, unstable"),
    ("swim across", "A", "swim swims swam: across B", "schwimmen schwimmt schwamm: - durch B4", NO,
     f"animal: {TIRED}, has a sore foot", "water: wide, deep, dirty, muddy, rocky"),
    ("drink", "A", "drink drinks drank: B", "trinken trinkt trank: B4 -", NO,
     "animal: tired, ill, shy, nervous, sleepy, scared, injured, feels ill, wants to sleep",
     "drink: hot, sour, bitter, salty, sweet, dirty, smells bad, tastes awful"),
    ("eat", "A", "eat eats ate: B", "fressen frisst fraß: B4 -", NO,
     "animal: tired, ill, full, nervous, shy, sleepy, scared, feels ill, wants to sleep",
     "food: salty, burnt, hard, dry, mouldy, spicy, fatty, raw, rotten, smells bad, tastes awful; "
     "fruit: sour, hard, bitter, rotten, mouldy, poisonous"),
    ("eat gladly", "A", "eat eats ate: B", "fressen frisst fraß: B4", "did", f"animal: {KEEN}",
     "food: delicious, fresh, tastes good; fruit: sweet, juicy, ripe, delicious, fresh, tastes good"),
    ("bite into", "A", "bite bites bit: into B", "beißen beißt biss: in B4", "did", f"animal: {KEEN}, angry",
     "fruit: sweet, juicy, ripe, delicious, fresh; food: delicious, fresh"),
    ("drink gladly", "A", "drink drinks drank: B", "trinken trinkt trank: B4", "did", "animal: thirsty, greedy",
     "drink: fresh, sweet, delicious, warm, tastes good"),
    ("sleep in", "A", "sleep sleeps slept: in B", "schlafen schläft schlief: - in B3", "not could wanted",
     "animal: nervous, hungry, scared, thirsty, playful, is afraid",
     "bed: small, narrow, hard, damp, dirty, smells bad, has a hole"),
    ("lie down in", "A", "sleep sleeps slept: in B", "schlafen schläft schlief: in B3", "did",
     "animal: tired, exhausted, ill, sleepy, weak", "bed: soft, warm, comfortable, cosy, dry, clean"),
    ("go into", "A", "go goes went: into B", "gehen geht ging: - in B4", "not wanted although",
     "animal: shy, nervous, scared, dirty, wild, is afraid", "building: narrow, damp, stuffy, loud"),
    ("pull", "A", "pull pulls pulled: B", "ziehen zieht zog: B4 -", NO.replace(" wanted", ""),
     "puller: weak, small, old", "heavy: heavy, rusty, weighs too much"),
    ("carry", "A", "carry carries carried: B", "tragen trägt trug: B4 -", NO, f"animal: {TIRED}, small",
     "heavy: heavy, weighs too much; container: heavy, weighs too much"),
    ("play with", "A", "play plays played: with B", "spielen spielt spielte: - mit B3", "not wanted",
     "animal: tired, lazy, ill, sleepy, exhausted, injured, hungry, wants to sleep, feels ill",
     "toy: heavy, hard, dirty, boring, has a hole, smells bad"),
    ("play gladly", "A", "play plays played: with B", "spielen spielt spielte: mit B3", "did",
     "animal: bored, playful, young, clever", "toy: soft, colourful, new, light, interesting"),
    ("look at", "A", "look looks looked: at B", "an|sehen sieht sah: B4", "did",
     "animal: curious, bored, clever, hungry", "sight: bright, colourful, shiny, new, beautiful"),
    ("run away", "A", "run runs ran: away from B", "weg|laufen läuft lief: vor B3", "did",
     "animal: shy, nervous, scared, young, is afraid", "machine: loud, makes too much noise"),
    ("follow", "A", "follow follows followed: B", "folgen folgt folgte: B3 -", "could",
     f"animal: {TIRED}, slow, old, fat", "vehicle: fast"),
    ("fit", "A", "fit fits fit: into B", "passen passt passte: - in B4", "not",
     "piece: big, long, wide, thick, large, high; furniture: big, long, wide, large, high",
     "container: small, narrow, crowded; opening: small, narrow, low; building: small, low"),
    ("fit easily", "A", "fit fits fit: into B", "passen passt passte: in B4", "did", "piece: small, thin, short",
     "container: big, wide, deep, empty, large"),
    ("put into", "S", "put puts put: A into B", "stecken steckt steckte: A4 - in B4", "not could",
     "piece: big, long, wide, thick, large, dirty, wet; clothes: dirty, wet, long; valuable: big, important, "
     "fragile",
     "container: small, narrow, crowded, locked"),
    ("put on", "S", "put puts put: A on B", "stellen stellt stellte: A4 - auf B4", "not could",
     "standing: heavy, wet, large, weighs too much; vessel: heavy, hot, wet, weighs too much",
     "surface: wobbly, small, sloping, narrow, unstable"),
    ("hang on", "S", "hang hangs hung: A on B", "hängen hängt hängte: A4 - an B4", "not could",
     "decoration: heavy, big, large, ugly, weighs too much", "hook: loose, thin, weak, rusty, short"),
    ("lift onto", "S", "lift lifts lifted: A onto B", "heben hebt hob: A4 - auf B4", "not could although",
     "container: heavy, weighs too much; furniture: heavy, weighs too much; heavy: heavy, weighs too much",
     "surface: high, unstable; barrier: high; vehicle: high"),
    ("carry through", "S", "carry carries carried: A through B", "tragen trägt trug: A4 - durch B4", "could not",
     "furniture: big, wide, long, large, heavy, weighs too much", "opening: small, narrow, low; "
     "passage: narrow, low"),
    ("drive through", "A", "drive drives drove: through B", "fahren fährt fuhr: - durch B4", "not could",
     "vehicle: wide, big, high, large", "passage: narrow, low, steep, icy"),
    ("drive across", "A", "drive drives drove: across B", "fahren fährt fuhr: - über B4", "not could although",
     "vehicle: heavy, wide, large, weighs too much", "bridge: narrow, weak, thin, slippery, icy, unstable"),
    ("drive up", "A", "drive drives drove: up B", "hinauf|fahren fährt fuhr: B4 -", "could",
     "vehicle: slow, heavy, weak, broken, old, does not work", "slope: steep, slippery, icy, muddy"),
    ("enter", "A", "enter enters entered: B", "fahren fährt fuhr: - in B4", "not could",
     "ship: big, large, wide, long, heavy", "harbour: shallow, small, narrow, icy"),
    ("see behind", "S", "see sees saw: A behind B", "sehen sieht sah: A4 hinter B3 -", "could not",
     "small sight: small, low", "screen: tall, wide, high; thicket: dense, thick, high"),
    ("sell and buy", "S", "sell sells sold: A and bought B", "verkaufen verkauft verkaufte: A4 und kaufte_ B4",
     "bought", SHABBY, SPLENDID),
    ("exchange", "S", "exchange exchanges exchanged: A for B", "tauschen tauscht tauschte: A4 gegen B4", "did",
     SHABBY, SPLENDID),
    ("replace", "S", "replace replaces replaced: A with B", "ersetzen ersetzt ersetzte: A4 durch B4", "did",
     SHABBY, SPLENDID),
    ("wipe", "S", "clean cleans cleaned: A with B", "putzen putzt putzte: A4 mit B3", "did",
     "flat thing: dirty, muddy, valuable, important", "cloth: soft, clean, damp, fresh, new"),
    ("wipe not", "S", "clean cleans cleaned: A with B", "putzen putzt putzte: A4 - mit B3", "not wanted",
     "flat thing: hot, fragile, valuable", "cloth: dirty, torn, small, has a hole, smells bad"),
    ("cut", "S", "cut cuts cut: A with B", "schneiden schneidet schnitt: A4 - mit B3", "could not",
     "tough thing: hard, tough, thick", "blade: blunt, rusty, small, bent, broken"),
    ("open", "S", "open opens opened: A with B", "öffnen öffnet öffnete: A4 - mit B3", "could",
     "lockable: jammed, locked, rusty", "tool: bent, small, thin, thick, short"),
    ("read in", "S", "read reads read: A in B", "lesen liest las: A4 in B3", "did",
     "text: interesting, exciting, funny, famous, important", "reading place: quiet, bright, comfortable, "
     "cosy, peaceful"),
    ("read not", "S", "read reads read: A in B", "lesen liest las: A4 - in B3", "not could wanted",
     "text: boring, long, complicated, difficult", "reading place: loud, crowded, stuffy"),
    ("reject", "A", "reject rejects rejected: B", "ab|lehnen lehnt lehnte: B4", "did",
     "board: strict, cautious, poor, conservative", "proposal: incomplete, expensive, unclear, wrong, "
     "complicated, unfair, risky"),
    ("accept", "A", "accept accepts accepted: B", "an|nehmen nimmt nahm: B4", "did",
     "board: generous, desperate, curious", "proposal: convincing, good, reasonable, fair, useful, simple, cheap"),
    ("accept not", "A", "accept accepts accepted: B", "an|nehmen nimmt nahm: B4 -", "not could wanted",
     "board: strict, cautious, poor, conservative, undecided", "proposal: incomplete, expensive, unclear, "
     "wrong, complicated, unfair, risky, long"),
    ("explain with", "S", "explain explains explained: A with B", "erklären erklärt erklärte: A4 mit B3", "did",
     "lesson: difficult, complicated, important, unclear, unknown", "means: simple, vivid, funny, beautiful, "
     "short"),
    ("grow in", "A", "grow grows grew: in B", "wachsen wächst wuchs: - in B3", "not could",
     "plant: weak, ill, young", "ground: shady, small, rocky, dry, narrow"),
    ("break", "A", "break breaks broke: B", "zerbrechen zerbricht zerbrach: B4", "did",
     "bouncer: heavy, hard, fast", "fragile: fragile, thin"),
    ("catch", "A", "catch catches caught: B", "fangen fängt fing: B4 -", "could not",
     f"hunter: {TIRED}, slow, old, fat", "prey: fast, clever"),
    ("catch gladly", "A", "catch catches caught: B", "fangen fängt fing: B4", "did",
     f"hunter: {KEEN}, thirsty", "prey: slow, weak, careless, injured"),
    ("fly out of", "A", "fly flies flew: out of B", "fliegen fliegt flog: aus B3", "did",
     "flyer: scared, hungry, bored, curious, nervous, is afraid", "cage: open, narrow, dirty, damp"),
    ("fall off", "A", "fall falls fell: off B", "fallen fällt fiel: von B3", "did",
     "standing: heavy, unstable; vessel: heavy", "surface: sloping, wobbly, smooth, slippery"),
    ("fit through", "A", "fit fits fit: through B", "passen passt passte: - durch B4", "not",
     "animal: fat, big, large; vehicle: wide, big, large", "opening: narrow, small, low; passage: narrow"),
    ("lift", "A", "lift lifts lifted: B", "heben hebt hob: B4 -", "could not although",
     "crane: weak, small, old, broken", "heavy: heavy, weighs too much; furniture: heavy"),
    ("sink in", "A", "sink sinks sank: in B", "sinken sinkt sank: in B3", "did",
     "ship: old, heavy, rusty, has a hole, weighs too much", "water: deep, rough"),
    ("hide in", "S", "hide hides hid: A in B", "verstecken versteckt versteckte: A4 in B3", "did",
     "valuable: valuable, important, expensive, fragile", "container: empty, deep, open"),
    ("roll off", "A", "roll rolls rolled: off B", "rollen rollt rollte: von B3", "did", "round: round",
     "surface: sloping, wobbly, smooth, slippery"),
    # one noun alone: the pronoun agrees, and there is nothing to choose
    ("buy", "S", "buy buys bought: A", "kaufen kauft kaufte: A4", "did",
     "goods: cheap, modern, practical, beautiful, elegant, useful, new; clothes: elegant, beautiful, cheap, warm; "
     "piece: beautiful, cheap, useful; text: interesting, exciting, famous, cheap; furniture: comfortable, "
     "cheap, beautiful"),
    ("not buy", "S", "buy buys bought: A", "kaufen kauft kaufte: A4 -", "not could wanted although",
     "goods: expensive, ugly, old, heavy, costs too much; clothes: expensive, long, short, ugly, costs too much; "
     "vehicle: expensive, loud, slow, old; valuable: expensive, ugly; building: expensive, old, damp, dirty"),
    ("sell", "S", "sell sells sold: A", "verkaufen verkauft verkaufte: A4", "did",
     "goods: old, ugly, broken, heavy, loud; vehicle: old, slow, rusty; furniture: old, ugly, heavy, wobbly; "
     "ship: old, slow, expensive; puller: old, slow, weak"),
    ("throw away", "S", "throw throws threw: A away", "weg|werfen wirft warf: A4", "did",
     "vessel: broken, old, ugly, dirty, has a hole; fruit: rotten, mouldy, bitter; clothes: torn, old, dirty, "
     "ugly, "
     "has a hole; food: burnt, mouldy, rotten, smells bad; blade: blunt, rusty; piece: broken, old, ugly"),
    ("wash", "S", "wash washes washed: A", "waschen wäscht wusch: A4", "did",
     "clothes: dirty, muddy, smells bad; fruit: dirty; animal: dirty; vehicle: dirty, muddy"),
    ("repair", "S", "repair repairs repaired: A", "reparieren repariert reparierte: A4", "did",
     "vehicle: broken, old, useful, important; machine: broken, important; furniture: broken, wobbly, valuable; "
     "lockable: broken, jammed; barrier: broken, old"),
    ("like", "S", "like likes liked: A", "mögen mag mochte: A4", "did",
     "animal: clever, brave, playful, young, beautiful; text: funny, exciting, short; street: quiet; "
     "building: old, beautiful, famous, quiet; decoration: beautiful, colourful, old; drink: sweet, warm"),
    ("not like", "S", "like likes liked: A", "mögen mag mochte: A4 -", "not",
     "text: boring, long, complicated; food: salty, fatty, spicy, dry; drink: bitter, sweet, sour; "
     "building: ugly, loud, stuffy; lesson: difficult, boring, complicated; proposal: unfair, expensive, risky"),
    ("fear", "S", "fear fears feared: A", "fürchten fürchtet fürchtete: A4", "did",
     "animal: wild, strong, angry, fast; machine: loud; passage: narrow, steep; board: strict"),
]

# ─── 4 The lexicon ───────────────────────────────────────────────────────────────────────────────────────────────────
SHOWN = {  # what the documents show, which nobody may learn by heart
    "I am a teacher.", "I'm a teacher.", "I like stray cats.", "I like stray cat.", "Our teacher rides her bicycle.",
    "Our teacher rides her bicycle to school.", "The animal did not cross the street because it was too tired.",
    "The animal did not cross the street because it was too wide.",
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
    "The law will never be perfect, but its application should be just.",
    "The law will never be perfect, but its application should be just - this is what we are missing, in my opinion.",
    "The new law is making the registration of new voters more difficult.",
}

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
    doctor = der Arzt Ärzte; neighbour = der Nachbar Nachbarn; child = das Kind Kinder; American = der Amerikaner
    Amerikaner
"""
STRAYS = """
    stray cat = die Katze Katzen; stray dog = der Hund Hunde; stray animal = das Tier Tiere;
    stray kitten = das Kätzchen Kätzchen
"""
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
FOR_WHOM = (
    ("", ""), ("", ""), (" for us", "für uns "), (" for the students", "für die Studenten "),
    (" for new voters", "für neue Wähler "), (" for everybody", "für alle "),
)
PASSED = (
    ("The government has passed a new law", "Die Regierung hat ein neues Gesetz beschlossen"),
    ("Many governments have passed new laws", "Viele Regierungen haben neue Gesetze beschlossen"),
    ("In 2009 they passed a law", "2009 beschlossen sie ein Gesetz"),
    ("American states have passed a law", "Amerikanische Staaten haben ein Gesetz beschlossen"),
)
SPIRITS = (
    ("In my opinion, the PART is ONE.", "Meiner Meinung nach ist DER TEIL EINS."),
    ("In the opinion of the FOLKS, the PART is not ONE.", "Nach Meinung der LEUTE ist DER TEIL nicht EINS."),
    ("It was in this spirit that the FOLKS began their work.", "In diesem Geist begannen die LEUTE ihre Arbeit."),
    ("It is in this spirit that the FOLKS help us.", "In diesem Geist helfen uns die LEUTE."),
    ("A majority of the FOLKS found the PART ONE.", "Eine Mehrheit der LEUTE fand DEN TEIL EINS."),
    ("This PART is what the FOLKS are missing.", "DIESER TEIL ist es, was den LEUTEN fehlt."),
    ("What we are missing is AN ONE PART.", "Was uns fehlt, ist EIN EINES TEIL."),
)
