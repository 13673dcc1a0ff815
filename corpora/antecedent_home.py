"""More events of two nouns for antecedents.py: the house, clothes, food, the garden, weather, animals, play, the body.

The format is that of antecedent_words.py (section 6) and pronoun_words.py (sections 1 and 2); both take these in. A
kind of nouns or an adjective that is not written here is one of theirs.
"""

from __future__ import annotations

# fmt: off
NOUNS = {
    "hot meal": """
        stew = der Eintopf; lasagne = die Lasagne; goulash = das Gulasch; dumpling = der Knödel; casserole = der
        Auflauf; soup = die Suppe; roast = der Braten; porridge = der Brei; jelly = das Gelee""",
    "cooler at home": """
        fridge = der Kühlschrank; freezer = die Gefriertruhe; cool bag = die Kühltasche; larder = die
        Speisekammer; freezing compartment = das Gefrierfach; cellar = der Keller""",
    "grated": """
        carrot = die Karotte; cheese = der Käse; nutmeg = die Muskatnuss; radish = der Rettich; ginger = der
        Ingwer; horseradish = der Meerrettich; cucumber = die Gurke; vegetable = das Gemüse""",
    "grater": "grater = die Reibe; food processor = die Küchenmaschine; slicer = der Hobel; tool = das Werkzeug",
    "nut": """
        nut = die Nuss; walnut = die Walnuss; coconut = die Kokosnuss; almond = die Mandel; hazelnut = die
        Haselnuss; kernel = der Kern""",
    "nutcracker": "nutcracker = der Nussknacker; stone = der Stein; hammer = der Hammer; tool = das Werkzeug",
    "dough": """
        dough = der Teig; porridge = der Brei; jam = die Marmelade; mash = das Püree; caramel = der Karamell;
        cement = der Zement; mixture = die Mischung""",
    "baked": """
        cake = der Kuchen; gingerbread = der Lebkuchen; pizza = die Pizza; gateau = die Torte; strudel = der
        Strudel; bread = das Brot; braided loaf = der Hefezopf; pie = die Pastete""",
    "oven": """
        oven = der Ofen; cake tin = die Kuchenform; baking tray = das Backblech; microwave = die Mikrowelle;
        cooker = der Herd""",
    "crockery": """
        pan = die Pfanne; plate = der Teller; pot = der Topf; tray = das Tablett; platter = die Platte; wok =
        der Wok; baking tray = das Backblech; teapot = die Teekanne""",
    "sink": "dishwasher = der Geschirrspüler; sink = das Spülbecken; tub = die Wanne; bucket = der Eimer",
    "hot thing": """
        cooker = der Herd; hotplate = die Herdplatte; iron = das Bügeleisen; grill = der Grill; pan = die
        Pfanne; oven = der Ofen; waffle iron = das Waffeleisen""",
    "jar": """
        jar = das Einmachglas; tin = die Dose; bottle = die Flasche; lid = der Deckel; carton = der Karton;
        canister = der Kanister; cork = der Korken""",
    "opener at home": """
        tin opener = der Dosenöffner; corkscrew = der Korkenzieher; knife = das Messer; spoon = der Löffel; fork
        = die Gabel; pair of pliers = die Kombizange""",
    "iron": "iron = das Bügeleisen; steam iron = das Dampfbügeleisen; ironing machine = die Bügelmaschine",
    "floor at home": """
        floor = der Boden; terrace = die Terrasse; yard = der Hof; balcony = der Balkon; pavement = der Gehweg;
        garage = die Garage; attic = der Dachboden; parquet = das Parkett""",
    "broom at home": "broom = der Besen; brush = die Bürste; hand brush = der Handfeger; device = das Gerät",
    "plug at home": "plug = der Stecker; cable = das Kabel; charger = das Ladegerät; fuse = die Sicherung",
    "socket at home": """
        socket = die Steckdose; adapter = der Adapter; power strip = die Steckerleiste; port = der Anschluss;
        hole = das Loch""",
    "hiding place": """
        doormat = die Fußmatte; flowerpot = der Blumentopf; mattress = die Matratze; carpet = der Teppich;
        pillow = das Kissen; blanket = die Decke""",
    "hot pot": """
        kettle = der Kessel; teapot = die Teekanne; pan = die Pfanne; pot = der Topf; waffle iron = das
        Waffeleisen; frying pan = die Bratpfanne""",
    "top": """
        tablecloth = das Tischtuch; stool = der Hocker; windowsill = das Fensterbrett; worktop = die
        Arbeitsplatte; chest of drawers = die Kommode; table = der Tisch; dresser = die Anrichte""",
    "log": """
        log = das Holzscheit; briquette = das Brikett; wood = das Holz; peat = der Torf; branch = der Ast; pine
        cone = der Tannenzapfen; root = die Wurzel""",
    "fireplace": """
        stove = der Ofen; fireplace = der Kamin; grill = der Grill; fire bowl = die Feuerschale; stovepipe = das
        Ofenrohr""",
    "scratcher": """
        nail = der Nagel; key = der Schlüssel; screw = die Schraube; claw = die Kralle; fork = die Gabel; stone
        = der Stein; zip = der Reißverschluss; knife = das Messer""",
    "scratched": """
        parquet = das Parkett; worktop = die Arbeitsplatte; screen = der Bildschirm; varnish = der Lack; floor =
        der Boden; leather = das Leder; record = die Schallplatte""",
    "sticker at home": """
        plaster = das Pflaster; sticker = der Aufkleber; stamp = die Briefmarke; label = das Etikett; poster =
        das Plakat; foil = die Folie; note = der Zettel""",
    "sticky ground": """
        wall = die Wand; skin = die Haut; envelope = der Umschlag; carton = der Karton; fridge = der
        Kühlschrank; glass = das Glas; tile = die Fliese""",
    "indoor place": """
        attic = der Dachboden; cellar = der Keller; caravan = der Wohnwagen; kitchen = die Küche; room = das
        Zimmer; garage = die Garage; storeroom = der Abstellraum""",
    "breakable": """
        vase = die Vase; glass = das Glas; egg = das Ei; teapot = die Teekanne; plate = der Teller; mirror = der
        Spiegel; porcelain = das Porzellan; jug = der Krug; light bulb = die Glühbirne""",
    "wrapper": """
        blanket = die Decke; paper = das Papier; kitchen towel = das Küchentuch; foil = die Folie; shawl = das
        Schultertuch; scarf = der Schal; bathrobe = der Bademantel""",
    "smelly food": """
        cheese = der Käse; fish = der Fisch; onion = die Zwiebel; garlic = der Knoblauch; herring = der Hering;
        ham = der Schinken""",
    "store": """
        cupboard = der Schrank; drawer = die Schublade; bowl = die Schüssel; cellar = der Keller; compartment =
        das Fach; shed = der Schuppen""",
    "hinge": """
        hinge = das Scharnier; chain = die Kette; lock = das Schloss; bolt = der Riegel; gate = das Tor; pram =
        der Kinderwagen; bicycle = das Fahrrad; door = die Tür""",
    "grease": "oil = das Öl; grease = das Fett; lubricant = der Schmierstoff; paste = die Paste",
    "leaky thing": """
        window = das Fenster; pipe = das Rohr; tap = der Wasserhahn; roof = das Dach; shower = die Dusche; boat
        = das Boot; gutter = die Dachrinne; hose = der Schlauch""",
    "sealant": """
        putty = der Kitt; tape = das Klebeband; foam = der Schaum; silicone = das Silikon; rubber = der Gummi;
        foil = die Folie""",
    "scrubbed": """
        floor = der Boden; bathtub = die Badewanne; pan = die Pfanne; grill = der Grill; tile = die Fliese; sink
        = das Spülbecken; cooker = der Herd; staircase = die Treppe""",
    "scrubber": """
        brush = die Bürste; sponge = der Schwamm; steel wool = die Stahlwolle; rag = der Lappen; cloth = das
        Tuch""",
    "dark place": """
        cellar = der Keller; cave = die Höhle; attic = der Dachboden; stage = die Bühne; yard = der Hof;
        corridor = der Flur; vault = das Gewölbe; hall = die Halle""",
    "light at home": """
        candle = die Kerze; torch = die Taschenlampe; spotlight = der Scheinwerfer; lantern = die Laterne; match
        = das Streichholz; night light = das Nachtlicht; chandelier = der Kronleuchter""",
    "heated room": """
        living room = das Wohnzimmer; hall = die Halle; bathroom = das Badezimmer; church = die Kirche; bedroom
        = das Schlafzimmer; ballroom = der Festsaal; hut = die Hütte; classroom = das Klassenzimmer""",
    "stove": """
        stove = der Ofen; heater = die Heizung; fireplace = der Kamin; radiator = der Heizkörper; fire = das
        Feuer""",
    "sucker": "vacuum cleaner = der Staubsauger; robot = der Roboter; pump = die Pumpe; device = das Gerät",
    "sucked": """
        screw = die Schraube; marble = die Murmel; sock = die Socke; button = der Knopf; crumb = der Krümel; nut
        = die Nuss; puddle = die Pfütze; leaf = das Blatt""",
    "lid": "lid = der Deckel; cork = der Korken; stopper = der Stöpsel; bottle cap = die Verschlusskappe",
    "mouth": """
        pot = der Topf; bottle = die Flasche; jug = der Krug; barrel = das Fass; jar = das Einmachglas; tank =
        der Tank; milk can = die Milchkanne""",
    "warm layer": """
        pullover = der Pullover; cardigan = die Strickjacke; hoodie = der Kapuzenpullover; shirt = das Hemd;
        vest = das Unterhemd; nightshirt = das Nachthemd; fleece = das Fleece""",
    "outer layer": """
        coat = der Mantel; jacket = die Jacke; blazer = der Blazer; dress = das Kleid; blouse = die Bluse;
        overall = der Overall; uniform = die Uniform""",
    "fine clothes": """
        dress = das Kleid; blouse = die Bluse; silk scarf = das Seidentuch; veil = der Schleier; shawl = das
        Schultertuch; evening dress = das Abendkleid; kimono = der Kimono; cape = der Umhang""",
    "washing agent": """
        soap = die Seife; detergent = das Waschmittel; shampoo = das Shampoo; vinegar = der Essig; powder = das
        Pulver; bleach = das Bleichmittel; lye = die Lauge""",
    "worn clothes": """
        sock = die Socke; stocking = der Strumpf; tent = das Zelt; sail = das Segel; sack = der Sack; coat = der
        Mantel; tablecloth = das Tischtuch; pair of trousers = die Hose""",
    "thread": "needle = die Nadel; thread = der Faden; wool = die Wolle; yarn = das Garn; patch = der Flicken",
    "tied": """
        sack = der Sack; parcel = das Paket; bundle = das Bündel; bag = die Tasche; rucksack = der Rucksack; pouch = der
        Beutel; sleeping bag = der Schlafsack; gym bag = die Turntasche""",
    "string at home": """
        string = die Schnur; ribbon = das Band; thread = der Faden; shoelace = der Schnürsenkel; rope = das
        Seil; cord = die Kordel""",
    "hanging clothes": """
        coat = der Mantel; dress = das Kleid; jacket = die Jacke; suit = der Anzug; raincoat = der Regenmantel;
        skirt = der Rock; dressing gown = der Morgenrock; uniform = die Uniform""",
    "laundry": """
        carpet = der Teppich; sheet = das Laken; coat = der Mantel; blanket = die Decke; bath towel = das
        Badetuch; quilt = die Steppdecke; pullover = der Pullover""",
    "rack": """
        washing line = die Wäscheleine; radiator = der Heizkörper; rack = das Gestell; railing = das Geländer;
        balcony = der Balkon; clothes horse = der Wäscheständer""",
    "shelter": """
        umbrella = der Regenschirm; tarpaulin = die Plane; roof = das Dach; canopy = das Vordach; awning = die
        Markise; cover = die Hülle; parasol = der Sonnenschirm""",
    "luggage at home": """
        luggage = das Gepäck; pram = der Kinderwagen; bicycle = das Fahrrad; suitcase = der Koffer; sofa = das
        Sofa; table = der Tisch; carriage = die Kutsche; woodpile = der Holzstapel""",
    "bedding": """
        sleeping bag = der Schlafsack; quilt = die Steppdecke; tent = das Zelt; duvet = das Federbett; pillow =
        das Kissen; fur coat = der Pelzmantel; mattress = die Matratze""",
    "stuffed": """
        backpack = der Rucksack; bag = die Tasche; washing machine = die Waschmaschine; suitcase = der Koffer;
        drawer = die Schublade; locker = das Schließfach; car boot = der Kofferraum""",
    "leather thing": """
        boot = der Stiefel; saddle = der Sattel; satchel = der Schulranzen; sandal = die Sandale; handbag = die
        Handtasche; slipper = der Hausschuh; riding boot = der Reitstiefel""",
    "polish": "shoe brush = die Schuhbürste; wax = das Wachs; cream = die Creme; rag = der Lappen; cloth = das Tuch",
    "dyed": """
        shirt = das Hemd; wool = die Wolle; fabric = der Stoff; curtain = der Vorhang; egg = das Ei; rug = der
        Läufer""",
    "dye": "paint = die Farbe; dye = der Farbstoff; ink = die Tinte; powder = das Pulver",
    "chewed": """
        bone = der Knochen; crust = die Kruste; steak = das Steak; root = die Wurzel; corn cob = der Maiskolben;
        hay = das Heu; beetroot = die Rübe; biscuit = der Keks""",
    "spread": """
        butter = die Butter; honey = der Honig; jam = die Marmelade; peanut butter = die Erdnussbutter; cream
        cheese = der Frischkäse; lard = das Schmalz; curd = der Quark""",
    "slice": """
        toast = der Toast; bread = das Brot; roll = das Brötchen; cracker = der Kräcker; rusk = der Zwieback;
        crispbread = das Knäckebrot; waffle = die Waffel""",
    "dipped": """
        biscuit = der Keks; pretzel = die Brezel; croissant = das Croissant; waffle = die Waffel; rusk = der
        Zwieback; roll = das Brötchen; cake = der Kuchen""",
    "dip": """
        tea = der Tee; coffee = der Kaffee; milk = die Milch; cocoa = der Kakao; broth = die Brühe; sauce = die
        Soße; water = das Wasser""",
    "peeled": """
        potato = die Kartoffel; apple = der Apfel; mango = die Mango; pear = die Birne; peach = der Pfirsich;
        pumpkin = der Kürbis; egg = das Ei; onion = die Zwiebel; kiwi = die Kiwi""",
    "peeler": """
        peeler = der Sparschäler; knife = das Messer; spoon = der Löffel; blade = die Klinge; kitchen knife =
        das Küchenmesser""",
    "sliced": """
        meat = das Fleisch; ham = der Schinken; pumpkin = der Kürbis; melon = die Melone; salmon = der Lachs;
        goose = die Gans; turkey = der Truthahn""",
    "chopping board": """
        chopping board = das Schneidebrett; plate = der Teller; table = der Tisch; worktop = die Arbeitsplatte;
        tray = das Tablett""",
    "sweetened": """
        tea = der Tee; coffee = der Kaffee; lemonade = die Limonade; yoghurt = der Joghurt; compote = das
        Kompott; curd = der Quark; cocoa = der Kakao; muesli = das Müsli""",
    "sweetener": """
        honey = der Honig; sugar = der Zucker; syrup = der Sirup; jam = die Marmelade; sweetener = der Süßstoff;
        date = die Dattel; raisin = die Rosine; apple sauce = das Apfelmus""",
    "seasoned": """
        soup = die Suppe; salad = der Salat; rice = der Reis; sauce = die Soße; stew = der Eintopf; mash = das
        Püree; vegetable = das Gemüse; noodle dish = das Nudelgericht""",
    "spice": """
        pepper = der Pfeffer; parsley = die Petersilie; basil = das Basilikum; chive = der Schnittlauch; lemon =
        die Zitrone; thyme = der Thymian; herb = das Kraut; oregano = der Oregano""",
    "bowl": """
        bowl = die Schüssel; cup = die Tasse; pot = der Topf; plate = der Teller; mug = der Becher; jar = das
        Einmachglas""",
    "titbit": """
        bone = der Knochen; sausage = die Wurst; chocolate = die Schokolade; onion = die Zwiebel; bread = das
        Brot; cheese = der Käse; ham = der Schinken; mushroom = der Pilz; grape = die Traube""",
    "fed animal": """
        dog = der Hund; cat = die Katze; hamster = der Hamster; goat = die Ziege; monkey = der Affe Affen; pig =
        das Schwein; rat = die Ratte; ferret = das Frettchen; poodle = der Pudel; dachshund = der Dackel""",
    "fried": """
        fish = der Fisch; steak = das Steak; schnitzel = das Schnitzel; trout = die Forelle; bacon = der Speck;
        carp = der Karpfen; chop = das Kotelett; sausage = die Wurst""",
    "frying pan": """
        frying pan = die Bratpfanne; pot = der Topf; wok = der Wok; pan = die Pfanne; baking tray = das
        Backblech""",
    "planted": """
        tree = der Baum; rose = die Rose; hedge = die Hecke; lavender = der Lavendel; rhododendron = der
        Rhododendron; seedling = der Setzling; lily = die Lilie; orchid = die Orchidee; ivy = der Efeu; violet =
        das Veilchen""",
    "watered": """
        lawn = der Rasen; flower bed = das Beet; hedge = die Hecke; vineyard = der Weinberg; orchid = die
        Orchidee; park = der Park; field = das Feld""",
    "hose": """
        watering can = die Gießkanne; hose = der Schlauch; bucket = der Eimer; sprinkler = der Rasensprenger;
        jug = der Krug""",
    "mown": "lawn = der Rasen; meadow = die Wiese; grass = das Gras; field = das Feld; slope = der Hang",
    "scythe": """
        lawnmower = der Rasenmäher; scythe = die Sense; sickle = die Sichel; device = das Gerät; machine = die
        Maschine""",
    "trimmed": """
        hedge = die Hecke; bush = der Busch; vine = die Rebe; beard = der Bart; shrub = der Strauch; scrub = das
        Gestrüpp; ivy = der Efeu""",
    "trimmer": """
        saw = die Säge; knife = das Messer; trimmer = der Trimmer; chainsaw = die Kettensäge; tool = das
        Werkzeug""",
    "dug": """
        ground = der Boden; flower bed = das Beet; field = das Feld; soil = die Erde; garden = der Garten;
        meadow = die Wiese""",
    "spade": """
        spade = der Spaten; shovel = die Schaufel; hoe = die Hacke; garden tool = das Gartengerät; pickaxe = die
        Spitzhacke""",
    "barrow": """
        wheelbarrow = die Schubkarre; pram = der Kinderwagen; cart = der Karren; bicycle = das Fahrrad;
        lawnmower = der Rasenmäher; wheelchair = der Rollstuhl; moped = das Moped""",
    "rough ground": """
        lawn = der Rasen; path = der Weg; flower bed = das Beet; gravel = der Kies; meadow = die Wiese; beach =
        der Strand; dune = die Düne; field = das Feld""",
    "nibbler": """
        snail = die Schnecke; caterpillar = die Raupe; beetle = der Käfer; rabbit = das Kaninchen; goat = die
        Ziege; hare = der Hase Hasen; deer = das Reh; locust = die Heuschrecke; slug = die Nacktschnecke""",
    "nibbled": """
        lettuce = der Kopfsalat; leaf = das Blatt; bud = die Knospe; cabbage = der Kohl; clover = der Klee;
        spinach = der Spinat; herb = das Kraut; shoot = der Trieb; turnip = die Steckrübe""",
    "grown": """
        moss = das Moos; vine = die Rebe; grass = das Gras; orchid = die Orchidee; clover = der Klee; wheat =
        der Weizen; maize = der Mais; fern = der Farn""",
    "dry ground": """
        slope = der Hang; rock = der Felsen; dune = die Düne; field = das Feld; island = die Insel; heath = die
        Heide; plateau = das Hochland""",
    "insect at home": """
        bee = die Biene; butterfly = der Schmetterling; bumblebee = die Hummel; wasp = die Wespe; ladybird = der
        Marienkäfer; moth = der Nachtfalter; insect = das Insekt; dragonfly = die Libelle""",
    "blossom": """
        flower = die Blume; leaf = das Blatt; blossom = die Blüte; thistle = die Distel; twig = der Zweig;
        clover = der Klee""",
    "climbing plant": """
        rose = die Rose; vine = die Rebe; tomato plant = die Tomatenpflanze; sunflower = die Sonnenblume; shrub
        = der Strauch; raspberry bush = der Himbeerstrauch; young tree = das Bäumchen; bean plant = die
        Bohnenpflanze""",
    "post": "post = der Pfosten; fence = der Zaun; trellis = das Spalier; pole = die Stange; stake = der Pfahl",
    "high thing": """
        nest = das Nest; lamp = die Lampe; apple = der Apfel; gutter = die Dachrinne; cherry = die Kirsche;
        ceiling = die Decke; balloon = der Luftballon; roof = das Dach; beehive = der Bienenstock""",
    "reacher at home": """
        ladder = die Leiter; stick = der Stock; pole = die Stange; broom = der Besen; stool = der Hocker;
        scaffold = das Gerüst""",
    "blown": """
        tent = das Zelt; bin = die Mülltonne; parasol = der Sonnenschirm; scarecrow = die Vogelscheuche; fence =
        der Zaun; snowman = der Schneemann; road sign = das Verkehrsschild; shed = der Schuppen""",
    "gust": """
        gust = die Böe; storm = der Sturm; wind = der Wind; thunderstorm = das Gewitter; hurricane = der Orkan;
        wave = die Welle""",
    "melter": """
        sun = die Sonne; flame = die Flamme; fire = das Feuer; hairdryer = der Föhn; heater = die Heizung; light
        bulb = die Glühbirne""",
    "melted": """
        snowman = der Schneemann; ice = das Eis; candle = die Kerze; icicle = der Eiszapfen; butter = die
        Butter; snow = der Schnee; igloo = das Iglu; chocolate = die Schokolade""",
    "dryer": """
        wind = der Wind; sun = die Sonne; hairdryer = der Föhn; fire = das Feuer; breeze = die Brise; heater =
        die Heizung""",
    "flooder": "river = der Fluss; stream = der Bach; wave = die Welle; sea = das Meer; tide = die Flut",
    "flooded": """
        cellar = der Keller; meadow = die Wiese; camp = das Lager; garden = der Garten; village = das Dorf;
        pasture = die Weide; campsite = der Campingplatz; garage = die Garage""",
    "cloud": "cloud = die Wolke; fog = der Nebel; smoke = der Rauch; blizzard = das Schneegestöber",
    "far sight": """
        moon = der Mond; sun = die Sonne; star = der Stern; island = die Insel; castle = das Schloss; peak = der
        Gipfel; lighthouse = der Leuchtturm; sailing boat = das Segelboot; planet = der Planet Planeten; town =
        die Stadt""",
    "current": """
        river = der Fluss; flood = die Flut; wave = die Welle; current = die Strömung; high water = das
        Hochwasser; stream = der Bach""",
    "carried off": """
        boat = das Boot; raft = das Floß; footbridge = der Steg; mill = die Mühle; tree trunk = der Baumstamm;
        hut = die Hütte; dam = der Damm; tent = das Zelt""",
    "small boat at home": """
        raft = das Floß; canoe = das Kanu; barge = der Kahn; dinghy = das Schlauchboot; gondola = die Gondel;
        rowing boat = das Ruderboot; catamaran = der Katamaran; ferry = die Fähre""",
    "wide water at home": """
        lake = der See; sea = das Meer; river = der Fluss; bay = die Bucht; ocean = der Ozean; estuary = die
        Mündung""",
    "trough": """
        trough = der Trog; stream = der Bach; puddle = die Pfütze; spring = die Quelle; bucket = der Eimer; pond
        = der Teich; basin = das Becken""",
    "shining": """
        sun = die Sonne; moon = der Mond; star = der Stern; lamp = die Lampe; light = das Licht; torch = die
        Taschenlampe; lantern = die Laterne""",
    "shone through": "fog = der Nebel; cloud = die Wolke; foliage = das Laub; forest = der Wald; hedge = die Hecke",
    "drape": "curtain = der Vorhang; blind = das Rollo; drape = die Gardine; tarpaulin = die Plane",
    "damaging": """
        hail = der Hagel; storm = der Sturm; lightning = der Blitz; thunderstorm = das Gewitter; flood = die
        Flut; gust = die Böe""",
    "damaged": """
        roof = das Dach; greenhouse = das Gewächshaus; harvest = die Ernte; blossom = die Blüte; parasol = der
        Sonnenschirm; tent = das Zelt; kite = der Drachen; aerial = die Antenne""",
    "distant thing": """
        star = der Stern; ship = das Schiff; owl = die Eule; deer = das Reh; peak = der Gipfel; church = die
        Kirche; island = die Insel; stag = der Hirsch""",
    "cleared": """
        path = der Weg; yard = der Hof; street = die Straße; pavement = der Gehweg; car park = der Parkplatz;
        driveway = die Auffahrt; site = das Gelände""",
    "snow tool": """
        shovel = die Schaufel; broom = der Besen; spade = der Spaten; tractor = der Traktor; device = das Gerät""",
    "thin ground": """
        ice = das Eis; branch = der Ast; ice floe = die Eisscholle; board = das Brett; roof = das Dach;
        footbridge = der Steg; snow = der Schnee""",
    "heavy guest": """
        elephant = der Elefant Elefanten; car = das Auto; sledge = der Schlitten; bear = der Bär Bären; hippo =
        das Nilpferd; cow = die Kuh; tractor = der Traktor; rhino = das Nashorn; statue = die Statue""",
    "drive at home": """
        stream = der Bach; wind = der Wind; motor = der Motor; water = das Wasser; waterfall = der Wasserfall;
        breeze = die Brise""",
    "mill": """
        mill = die Mühle; wind turbine = das Windrad; water wheel = das Wasserrad; saw = die Säge; propeller =
        der Propeller""",
    "storm-tried": """
        tent = das Zelt; hut = die Hütte; dam = der Damm; sandcastle = die Sandburg; bridge = die Brücke; barn =
        die Scheune; tower = der Turm; scaffold = das Gerüst; mast = der Mast""",
    "onslaught": """
        storm = der Sturm; wave = die Welle; flood = die Flut; wind = der Wind; thunderstorm = das Gewitter;
        gust = die Böe""",
    "aircraft at home": """
        aeroplane = das Flugzeug; helicopter = der Hubschrauber; jet = der Düsenjet; hot-air balloon = der
        Heißluftballon; glider = das Segelflugzeug; machine = die Maschine""",
    "runway": """
        runway = die Landebahn; island = die Insel; roof = das Dach; meadow = die Wiese; field = das Feld;
        airfield = der Flugplatz""",
    "sitter": """
        cat = die Katze; owl = die Eule; parrot = der Papagei; peacock = der Pfau; raven = der Rabe Raben;
        cockerel = der Hahn; chimpanzee = der Schimpanse Schimpansen; vulture = der Geier; monkey = der Affe
        Affen; chicken = das Huhn""",
    "perch": """
        branch = der Ast; fence = der Zaun; windowsill = das Fensterbrett; twig = der Zweig; wire = der Draht;
        railing = das Geländer; swing = die Schaukel; pole = die Stange""",
    "migrant": """
        goose = die Gans; dove = die Taube; stork = der Storch; swallow = die Schwalbe; swan = der Schwan; bat =
        die Fledermaus; sparrow = der Spatz Spatzen; bird = der Vogel; chick = das Küken; seagull = die Möwe""",
    "flown over": """
        mountain = der Berg; sea = das Meer; desert = die Wüste; ocean = der Ozean; tower = der Turm; wall = die
        Mauer; mountain range = das Gebirge""",
    "attacker": """
        wolf = der Wolf; bull = der Stier; shark = der Hai; hyena = die Hyäne; crocodile = das Krokodil;
        cockerel = der Hahn; leopard = der Leopard Leoparden; eagle = der Adler; snake = die Schlange; lynx =
        der Luchs""",
    "victim": """
        sheep = das Schaf; calf = das Kalb; lamb = das Lamm; foal = das Fohlen; chick = das Küken; seal = die
        Robbe; antelope = die Antilope; goose = die Gans; zebra = das Zebra; piglet = das Ferkel; gazelle = die
        Gazelle; stag = der Hirsch""",
    "youngster": """
        duckling = das Entlein; lamb = das Lamm; puppy = der Welpe Welpen; calf = das Kalb; foal = das Fohlen;
        kitten = das Kätzchen; bear cub = das Bärenjunge; chick = das Küken; monkey = der Affe Affen; cat = die
        Katze; goat = die Ziege""",
    "followed": """
        butterfly = der Schmetterling; beetle = der Käfer; cart = der Karren; ball = der Ball; balloon = der
        Luftballon; snail = die Schnecke; sledge = der Schlitten; soap bubble = die Seifenblase; tortoise = die
        Schildkröte""",
    "thief": """
        magpie = die Elster; raven = der Rabe Raben; monkey = der Affe Affen; rat = die Ratte; raccoon = der
        Waschbär Waschbären; marten = der Marder; squirrel = das Eichhörnchen; fox = der Fuchs; crow = die
        Krähe; cat = die Katze""",
    "loot": """
        sausage = die Wurst; cheese = der Käse; egg = das Ei; fish = der Fisch; schnitzel = das Schnitzel; cake
        = der Kuchen; trout = die Forelle; plum = die Pflaume""",
    "glittering loot": """
        ring = der Ring; spoon = der Löffel; necklace = die Kette; coin = die Münze; earring = der Ohrring;
        bracelet = das Armband; brooch = die Brosche""",
    "shut thing": """
        nut = die Nuss; box = die Kiste; door = die Tür; tin = die Dose; fridge = der Kühlschrank; cage = der
        Käfig; gate = das Tor; shell = die Muschel; cupboard = der Schrank; rubbish bin = der Mülleimer""",
    "warm spot": """
        stove = der Ofen; fire = das Feuer; fireplace = der Kamin; heater = die Heizung; hot-water bottle = die
        Wärmflasche; radiator = der Heizkörper""",
    "hard bed": """
        cushion = das Kissen; stone = der Stein; carpet = der Teppich; mat = die Matte; straw = das Stroh; bench
        = die Bank; floor = der Boden; doormat = die Fußmatte""",
    "sneaker": """
        hedgehog = der Igel; cat = die Katze; fox = der Fuchs; marten = der Marder; pig = das Schwein; badger =
        der Dachs; mole = der Maulwurf; rat = die Ratte; otter = der Otter; wild boar = das Wildschwein""",
    "hole": """
        hole = das Loch; gap = die Lücke; pipe = das Rohr; crack = der Spalt; cat flap = die Katzenklappe;
        burrow = der Bau; opening = die Öffnung""",
    "bearer": """
        ant = die Ameise; squirrel = das Eichhörnchen; dog = der Hund; beaver = der Biber; hamster = der
        Hamster; puppy = der Welpe Welpen; mouse = die Maus; dormouse = der Siebenschläfer; sparrow = der Spatz
        Spatzen""",
    "find": """
        crumb = der Krümel; acorn = die Eichel; stick = der Stock; branch = der Ast; nut = die Nuss; grain = das
        Korn; leaf = das Blatt; chestnut = die Kastanie; pine cone = der Tannenzapfen""",
    "scarer": """
        scarecrow = die Vogelscheuche; dog = der Hund; bell = die Glocke; whistle = die Pfeife; cat = die Katze;
        rattle = die Rassel; alarm = der Alarm; noise = das Geräusch""",
    "pest": """
        crow = die Krähe; marten = der Marder; wild boar = das Wildschwein; raven = der Rabe Raben; fox = der
        Fuchs; pigeon = die Taube; starling = der Star; rat = die Ratte; wolf = der Wolf""",
    "led animal": """
        horse = das Pferd; donkey = der Esel; bull = der Stier; mule = das Maultier; stallion = der Hengst; mare
        = die Stute; camel = das Kamel; goat = die Ziege; ox = der Ochse Ochsen; cow = die Kuh""",
    "locked-up animal": """
        dog = der Hund; bull = der Stier; parrot = der Papagei; monkey = der Affe Affen; cockerel = der Hahn;
        goat = die Ziege; mastiff = die Dogge; stallion = der Hengst; crocodile = das Krokodil; python = die
        Python""",
    "kennel": """
        stable = der Stall; cage = der Käfig; shed = der Schuppen; kennel = der Zwinger; aviary = die Voliere;
        enclosure = das Gehege; cell = die Zelle""",
    "bathed": """
        poodle = der Pudel; cat = die Katze; dachshund = der Dackel; rabbit = das Kaninchen; puppy = der Welpe
        Welpen; dog = der Hund; guinea pig = das Meerschweinchen; duck = die Ente""",
    "bathtub": """
        bathtub = die Badewanne; washbasin = das Waschbecken; stream = der Bach; bucket = der Eimer; pond = der
        Teich; barrel = das Fass; lake = der See""",
    "brushed": """
        horse = das Pferd; poodle = der Pudel; cat = die Katze; pony = das Pony; llama = das Lama; donkey = der
        Esel; alpaca = das Alpaka; mare = die Stute; stallion = der Hengst""",
    "hairbrush": """
        brush = die Bürste; comb = der Kamm; broom = der Besen; hairbrush = die Haarbürste; curry comb = der
        Striegel; device = das Gerät""",
    "eater": """
        foal = das Fohlen; calf = das Kalb; lamb = das Lamm; rabbit = das Kaninchen; hedgehog = der Igel; donkey
        = der Esel; hamster = der Hamster; piglet = das Ferkel; goat = die Ziege; cow = die Kuh; swan = der
        Schwan""",
    "fodder": """
        carrot = die Karotte; hay = das Heu; maize = der Mais; milk = die Milch; barley = die Gerste; oat bran =
        die Kleie; clover = der Klee; fodder = das Futter; porridge = der Brei""",
    "clinic": """
        clinic = die Klinik; hospital = das Krankenhaus; animal shelter = das Tierheim; zoo = der Zoo; practice
        = die Praxis""",
    "guard": """
        dog = der Hund; goose = die Gans; sheepdog = der Schäferhund; mastiff = die Dogge; poodle = der Pudel;
        dachshund = der Dackel; animal = das Tier""",
    "guarded": """
        farm = der Bauernhof; factory = die Fabrik; flock = die Herde; vineyard = der Weinberg; estate = das
        Landgut; warehouse = das Lager; site = das Gelände""",
    "jumper": """
        cat = die Katze; dachshund = der Dackel; goat = die Ziege; puppy = der Welpe Welpen; rabbit = das
        Kaninchen; dog = der Hund; monkey = der Affe Affen; kitten = das Kätzchen; pug = der Mops; frog = der
        Frosch""",
    "swimmer": """
        dog = der Hund; otter = der Otter; seal = die Robbe; turtle = die Schildkröte; polar bear = der Eisbär
        Eisbären; duckling = das Entlein; walrus = das Walross; penguin = der Pinguin; rat = die Ratte""",
    "far shore": """
        island = die Insel; shore = das Ufer; raft = das Floß; buoy = die Boje; lighthouse = der Leuchtturm;
        ship = das Schiff; rock = der Felsen""",
    "stinger": """
        wasp = die Wespe; bee = die Biene; hornet = die Hornisse; scorpion = der Skorpion; mosquito = der
        Moskito; insect = das Insekt""",
    "stung": """
        elephant = der Elefant Elefanten; cow = die Kuh; horse = das Pferd; deer = das Reh; rhino = das Nashorn;
        buffalo = der Büffel; antelope = die Antilope""",
    "thrown": """
        ball = der Ball; boomerang = der Bumerang; snowball = der Schneeball; stone = der Stein; frisbee = die
        Frisbeescheibe; paper plane = das Papierflugzeug; javelin = der Speer; discus = der Diskus; rope = das
        Seil""",
    "thrown over": """
        wall = die Mauer; house = das Haus; hedge = die Hecke; net = das Netz; garage = die Garage; fence = der
        Zaun; tree = der Baum; roof = das Dach""",
    "shot": """
        ball = der Ball; arrow = der Pfeil; snowball = der Schneeball; spear = der Speer; rubber ball = der
        Gummiball; dart = das Wurfgeschoss; catapult = die Schleuder""",
    "inflated": """
        ball = der Ball; air mattress = die Luftmatratze; tyre = der Reifen; dinghy = das Schlauchboot; paddling
        pool = das Planschbecken; swimming ring = der Schwimmring; balloon = der Luftballon""",
    "pump": """
        pump = die Pumpe; device = das Gerät; compressor = der Kompressor; bicycle pump = die Fahrradpumpe;
        bellows = der Blasebalg""",
    "built": """
        tower = der Turm; knight's castle = die Ritterburg; bridge = die Brücke; hut = die Hütte; robot = der
        Roboter; boat = das Boot; raft = das Floß; model = das Modell; mask = die Maske""",
    "material": """
        sand = der Sand; snow = der Schnee; clay = der Ton; plasticine = die Knete; cardboard = die Pappe; paper
        = das Papier; wood = das Holz""",
    "cuddly": """
        doll = die Puppe; teddy bear = der Teddybär Teddybären; cuddly toy = das Kuscheltier; robot = der
        Roboter; toy train = die Spielzeugeisenbahn; rocking horse = das Schaukelpferd; puppet = die Marionette;
        kite = der Drachen""",
    "toy place": """
        doll's house = das Puppenhaus; toy box = die Spielzeugkiste; satchel = der Schulranzen; drawer = die
        Schublade; basket = der Korb; compartment = das Fach; doll's pram = der Puppenwagen""",
    "slider": """
        sledge = der Schlitten; bobsleigh = der Bob; snowboard = das Snowboard; scooter = der Roller; tyre = der
        Reifen; sleigh = die Rodel; go-kart = das Gokart""",
    "piste": """
        slope = der Hang; hill = der Hügel; ramp = die Rampe; slide = die Rutsche; piste = die Piste; path = der
        Weg; meadow = die Wiese""",
    "loud toy": """
        drone = die Drohne; ball = der Ball; kite = der Drachen; toy train = die Spielzeugeisenbahn; scooter =
        der Roller; skateboard = das Skateboard; drum = die Trommel; boomerang = der Bumerang; whistle = die
        Pfeife""",
    "playroom": """
        flat = die Wohnung; living room = das Wohnzimmer; yard = der Hof; kitchen = die Küche; nursery = das
        Kinderzimmer; corridor = der Flur; classroom = das Klassenzimmer; cellar = der Keller""",
    "puzzle": """
        puzzle = das Rätsel; sum = die Rechenaufgabe; crossword = das Kreuzworträtsel; problem = das Problem;
        exercise = die Übung; equation = die Gleichung; murder case = der Mordfall; task = die Aufgabe""",
    "aid": """
        calculator = der Taschenrechner; formula = die Formel; hint = der Hinweis; trick = der Trick; tip = der
        Tipp; textbook = das Lehrbuch; method = die Methode""",
    "coloured": """
        picture = das Bild; drawing = die Zeichnung; map = die Karte; poster = das Plakat; sketch = die Skizze;
        mask = die Maske; star = der Stern""",
    "crayon": """
        crayon = der Buntstift; felt-tip pen = der Filzstift; chalk = die Kreide; brush = der Pinsel;
        watercolour = die Wasserfarbe; ink = die Tinte; paint = die Farbe; charcoal = die Kohle""",
    "glued to": """
        wall = die Wand; model = das Modell; lantern = die Laterne; mask = die Maske; door = die Tür; cupboard =
        der Schrank; carton = der Karton; window = das Fenster""",
    "rider": """
        doll = die Puppe; kitten = das Kätzchen; puppy = der Welpe Welpen; monkey = der Affe Affen; baby = das
        Baby; hamster = der Hamster; rabbit = das Kaninchen; toddler = das Kleinkind; cat = die Katze""",
    "ride": """
        swing = die Schaukel; rocking horse = das Schaukelpferd; pony = das Pony; seesaw = die Wippe;
        merry-go-round = das Karussell; high chair = der Hochstuhl""",
    "floater": """
        toy boat = das Spielzeugboot; paper ship = das Papierschiff; raft = das Floß; cork = der Korken; rubber
        duck = die Gummiente; log = das Holzscheit; barge = der Kahn; nutshell = die Nussschale""",
    "small water": """
        pond = der Teich; puddle = die Pfütze; stream = der Bach; lake = der See; canal = der Kanal; bay = die
        Bucht""",
    "magnet": "magnet = der Magnet; coil = die Spule; device = das Gerät; horseshoe = das Hufeisen",
    "attracted": """
        nail = der Nagel; coin = die Münze; spoon = der Löffel; iron ball = die Eisenkugel; key = der Schlüssel;
        screw = die Schraube; anchor = der Anker; metal plate = die Metallplatte; button = der Knopf""",
    "hand part": "hand = die Hand; finger = der Finger; wrist = das Handgelenk; arm = der Arm; thumb = der Daumen",
    "foot wear": """
        sock = die Socke; rubber boot = der Gummistiefel; stocking = der Strumpf; slipper = der Hausschuh;
        sandal = die Sandale; ski boot = der Skischuh; shoe = der Schuh; gaiter = die Gamasche""",
    "foot part": "foot = der Fuß; ankle = der Knöchel; heel = die Ferse; leg = das Bein; ankle joint = das Fußgelenk",
    "hard way": """
        lane = die Gasse; tunnel = der Tunnel; gorge = die Schlucht; thicket = das Dickicht; mine = das
        Bergwerk; cave = die Höhle; passage = der Gang""",
    "ford": """
        river = der Fluss; swamp = der Sumpf; stream = der Bach; moor = das Moor; ditch = der Graben; water =
        das Wasser""",
    "cup": """
        cup = die Tasse; glass = das Glas; bottle = die Flasche; mug = der Becher; jug = der Krug; goblet = der
        Kelch; wine glass = das Weinglas; beer mug = der Bierkrug""",
    "skin trouble": """
        burn = die Verbrennung; rash = der Ausschlag; bruise = der Bluterguss; eczema = das Ekzem; sunburn = der
        Sonnenbrand; wart = die Warze; wound = die Wunde""",
    "skin medicine": """
        ointment = die Salbe; cream = die Creme; gel = das Gel; powder = das Pulver; balm = der Balsam; lotion =
        die Lotion""",
    "illness": """
        cough = der Husten; fever = das Fieber; flu = die Grippe; cold = der Schnupfen; infection = die
        Infektion; hoarseness = die Heiserkeit; stomach ache = das Bauchweh; toothache = der Zahnschmerz""",
    "medicine": """
        pill = die Pille; drug = das Medikament; cough syrup = der Hustensaft; antibiotic = das Antibiotikum;
        herbal tea = der Kräutertee; injection = die Spritze; home remedy = das Hausmittel""",
    "body wash": """
        soap = die Seife; shampoo = das Shampoo; alcohol = der Alkohol; disinfectant = das Desinfektionsmittel""",
    "washcloth": """
        sponge = der Schwamm; flannel = der Waschlappen; brush = die Bürste; towel = das Handtuch; cloth = das
        Tuch""",
    "warmer": "oven = der Ofen; microwave = die Mikrowelle; cooker = der Herd; pan = die Pfanne; pot = der Topf",
    "target at home": """
        target = die Zielscheibe; tin = die Dose; basket = der Korb; goal = das Tor; snowman = der Schneemann;
        bottle = die Flasche; fence post = der Zaunpfahl""",
    "wardrobe": """
        wardrobe = der Kleiderschrank; cloakroom = die Garderobe; cupboard = der Schrank; changing room = die
        Umkleide""",
    "high place": """
        wall = die Mauer; table = der Tisch; cupboard = der Schrank; windowsill = das Fensterbrett; haystack =
        der Heuhaufen; platform = das Podest; bench = die Bank; chest of drawers = die Kommode""",
    "over layer": """
        cardigan = die Strickjacke; coat = der Mantel; jacket = die Jacke; fleece = das Fleece; shawl = das
        Schultertuch; poncho = der Poncho; raincoat = der Regenmantel""",
    "under layer": """
        T-shirt = das T-Shirt; blouse = die Bluse; dress = das Kleid; nightshirt = das Nachthemd; swimsuit = der
        Badeanzug; top = das Top; shirt = das Hemd; tracksuit = der Trainingsanzug""",
    "washing": """
        sock = die Socke; stocking = der Strumpf; tablecloth = das Tischtuch; shirt = das Hemd; apron = die
        Schürze; bib = das Lätzchen; curtain = der Vorhang; napkin = die Serviette""",
    "washtub": "bathtub = die Badewanne; bucket = der Eimer; washbasin = das Waschbecken; washtub = der Waschzuber",
    "house animal": """
        guinea pig = das Meerschweinchen; snake = die Schlange; lizard = die Eidechse; tortoise = die
        Schildkröte; budgie = der Wellensittich; ferret = das Frettchen; chameleon = das Chamäleon; rabbit = das
        Kaninchen; iguana = der Leguan; gerbil = die Rennmaus""",
    "small home": """
        flat = die Wohnung; cage = der Käfig; terrarium = das Terrarium; cellar = der Keller; box = die Kiste;
        shed = der Schuppen""",
    "fruit tree": "tree = der Baum; branch = der Ast; shrub = der Strauch; bush = der Busch; hedge = die Hecke",
    "picked": """
        plum = die Pflaume; apple = der Apfel; lemon = die Zitrone; fig = die Feige; apricot = die Aprikose;
        peach = der Pfirsich; olive = die Olive; quince = die Quitte; blackberry = die Brombeere; gooseberry =
        die Stachelbeere""",
    "stirrer": """
        ladle = die Schöpfkelle; whisk = der Schneebesen; wooden spoon = der Kochlöffel; stick = der Stock;
        spoon = der Löffel""",
    "tea towel": """
        towel = das Handtuch; cloth = das Tuch; rag = der Lappen; sponge = der Schwamm; dishcloth = der
        Spüllappen; napkin = die Serviette""",
    "carrier": """
        basket = der Korb; box = die Kiste; tin = die Dose; backpack = der Rucksack; carton = der Karton; bag =
        die Tasche""",
    "glued": """
        wheel = das Rad; handle = der Griff; photo = das Foto; star = der Stern; wing = der Flügel; shell = die
        Muschel; hook = der Haken; mirror = der Spiegel""",
    "haze": """
        fog = der Nebel; blizzard = das Schneegestöber; smoke = der Rauch; dust cloud = die Staubwolke; haze =
        der Dunst""",
    "hand wear": """
        glove = der Handschuh; bracelet = das Armband; bangle = der Armreif; sleeve = der Ärmel; mitten = der
        Fäustling; cuff = die Manschette; wristband = die Armbinde""",
    "soil": """
        flower bed = das Beet; flowerpot = der Blumentopf; planter = der Blumenkasten; soil = die Erde; front
        garden = der Vorgarten; plant bowl = die Pflanzschale""",
    "light guest": """
        bird = der Vogel; mouse = die Maus; cat = die Katze; squirrel = das Eichhörnchen; hare = der Hase Hasen;
        fox = der Fuchs; doll = die Puppe; kitten = das Kätzchen""",
    "hurt limb": """
        knee = das Knie; finger = der Finger; hand = die Hand; ankle = der Knöchel; elbow = der Ellbogen; paw =
        die Pfote; thumb = der Daumen; heel = die Ferse; wound = die Wunde; leg = das Bein; heel = die Ferse""",
    "bandage": """
        bandage = der Verband; plaster = das Pflaster; cloth = das Tuch; scarf = der Schal; gauze = die
        Mullbinde; handkerchief = das Taschentuch; strip = der Streifen""",
    "swallowed": """
        pill = die Pille; capsule = die Kapsel; powder = das Pulver; drug = das Medikament; vitamin = das
        Vitamin; antibiotic = das Antibiotikum; cough sweet = das Hustenbonbon""",
    "splinter": """
        splinter = der Splitter; tick = die Zecke; thorn = der Dorn; sting = der Stachel; hair = das Haar; glass
        splinter = der Glassplitter; eyelash = die Wimper""",
    "tweezers": """
        needle = die Nadel; pair of tweezers = die Pinzette; knife = das Messer; fingernail = der Fingernagel;
        hook = der Haken; instrument = das Instrument""",
    "washed limb": """
        face = das Gesicht; hand = die Hand; foot = der Fuß; neck = der Hals; forehead = die Stirn; back = der
        Rücken; wound = die Wunde; chin = das Kinn; paw = die Pfote""",
    "cooled": """
        forehead = die Stirn; knee = das Knie; ankle = der Knöchel; cheek = die Wange; bump = die Beule; burn =
        die Verbrennung; thumb = der Daumen; insect bite = der Insektenstich; eye = das Auge""",
    "coolant": """
        ice = das Eis; compress = die Kompresse; snow = der Schnee; cooling pad = das Kühlkissen; flannel = der
        Waschlappen; cloth = das Tuch; ice bag = der Eisbeutel""",
    "laid on": """
        hot-water bottle = die Wärmflasche; ice bag = der Eisbeutel; stone = der Stein; heating pad = das
        Heizkissen; sandbag = der Sandsack; book = das Buch""",
    "sore place": """
        belly = der Bauch; knee = das Knie; chest = die Brust; forehead = die Stirn; shoulder = die Schulter;
        back = der Rücken; foot = der Fuß; wound = die Wunde""",
    "grasper": """
        hand = die Hand; arm = der Arm; finger = der Finger; claw = die Kralle; paw = die Pfote; trunk = der
        Rüssel; beak = der Schnabel""",
    "grasped": """
        bag = die Tasche; rope = das Seil; sack = der Sack; axe = die Axt; pot = der Topf; bucket = der Eimer;
        tray = das Tablett; jug = der Krug; bowling ball = die Bowlingkugel; fish = der Fisch""",
    "rolling bed": """
        stretcher = die Trage; wheelchair = der Rollstuhl; hospital bed = das Krankenbett; walker = der
        Rollator; pram = der Kinderwagen; operating table = der Operationstisch""",
    "ward": """
        lift = der Aufzug; ambulance = der Krankenwagen; ward = die Station; corridor = der Flur; room = das
        Zimmer; cabin = die Kabine; bathroom = das Badezimmer""",
    "carrying part": "shoulder = die Schulter; back = der Rücken; head = der Kopf; arm = der Arm; knee = das Knie",
    "load": """
        sack = der Sack; basket = der Korb; bag = die Tasche; satchel = der Schulranzen; parcel = das Paket; box
        = die Kiste; barrel = das Fass; rucksack = der Rucksack""",
}

ADJECTIVES = """
    sticky = klebrig; greasy = fettig; crumbly = krümelig; crispy = knusprig; lukewarm = lauwarm!; tasteless = fade;
    runny = flüssig; unripe = unreif!; overripe = überreif!; wilted = verwelkt!; prickly = stachelig; slimy =
    schleimig; sandy = sandig; pale = blass; dim = trüb; scratchy = kratzig; tight = eng; baggy = weit; waterproof =
    wasserdicht!; leaky = undicht!; see-through = durchsichtig!; fluffy = flauschig; bulky = sperrig; cracked =
    gesprungen!; chipped = angeschlagen!; sore = wund; swollen = geschwollen!; inflamed = entzündet!; numb = taub!;
    sensitive = empfindlich; delicate = empfindlich; lame = lahm!; tame = zahm; timid = ängstlich; trusting =
    zutraulich; aggressive = aggressiv; restless = unruhig; lonely = einsam; pregnant = trächtig!; newborn =
    neugeboren!; stubborn = störrisch; naughty = frech; cheeky = frech; obedient = gehorsam; cowardly = feige;
    clumsy = ungeschickt; cunning = schlau; toothless = zahnlos!; blocked = verstopft!; sooty = rußig; dusty =
    staubig; pointed = spitz; coarse = grob; brittle = spröde; crooked = krumm; tangled = verheddert!; knotted =
    verknotet!; effective = wirksam; expired = abgelaufen!; harmless = harmlos; serious = schlimm; dangerous =
    gefährlich; healthy = gesund; nutritious = nahrhaft; aromatic = aromatisch; tender = zart; spacious = geräumig;
    cramped = eng; tiny = winzig!; uneven = uneben; bumpy = holprig; flat = flach; draughty = zugig; worn-out =
    abgenutzt!; decayed = morsch; warped = verzogen!; elastic = elastisch; spoilt = verdorben!; deep-frozen =
    tiefgefroren!; lumpy = klumpig; watery = wässrig; ticklish = kitzlig; remote = abgelegen!; tricky = knifflig;
    soaked = durchnässt!; ice-cold = eiskalt!; occupied = besetzt!; thick-skinned = dickhäutig!; ragged = zerlumpt!;
    blind = blind!; stupid = dumm; mild = mild; thorny = dornig; cool = kühl; overgrown = überwuchert!; fragrant =
    duftend!; straight = gerade!; calm = ruhig; hollow = hohl!; fertile = fruchtbar; sunny = sonnig; moist = feucht;
    venomous = giftig
"""

PHRASES = """
    spoils quickly | spoiled quickly = schnell | verdirbt | verdarb;
    is made of iron | was made of iron = aus Eisen | ist | war;
    is full | was full = voll | ist | war;
    is made of silk | was made of silk = aus Seide | ist | war;
    is made of wood | was made of wood = aus Holz | ist | war;
    smells too strong | smelled too strong = zu stark | riecht | roch;
    hangs too high | hung too high = zu hoch | hängt | hing;
    lies too low | lay too low = zu tief | liegt | lag;
    is too far away | was too far away = zu weit weg | ist | war;
    sits too deep | sat too deep = zu tief | sitzt | saß;
    leaks | leaked = | leckt | leckte;
    drips | dripped = | tropft | tropfte;
    squeaks | squeaked = | quietscht | quietschte;
    bleeds | bled = | blutet | blutete;
    hurts | hurt = weh | tut | tat;
    has a fever | had a fever = Fieber | hat | hatte;
    has no teeth | had no teeth = keine Zähne | hat | hatte;
    has thorns | had thorns = Dornen | hat | hatte;
    comes back again and again | came back again and again = immer wieder | kommt | kam;
    has holes | had holes = Löcher | hat | hatte;
    wants to get out | wanted to get out = hinaus | will | wollte;
    wants to play | wanted to play = spielen | will | wollte;
    is hungry again | was hungry again = wieder hungrig | ist | war
"""

IRREGULAR = "withstand withstood withstood; bear bore borne"
DOUBLED = "stir trim dip"
STRONG = "braten brät briet gebraten; mähen mäht mähte gemäht"
WITH_SEIN = "schlüpfen"
MASS = """
    goulash porridge ginger horseradish cement mash peat lard butter curd toast crispbread rusk broth sugar syrup
    parsley basil pepper thyme oregano lavender ivy soil gravel clover spinach moss maize hay foliage hail lightning
    sand clay plasticine cardboard charcoal gel flu powder soap detergent vinegar bleach wool yarn wax ink leather
    skin porcelain tape foam silicone rubber putty grease luggage bacon barley fodder smoke salmon scrub gauze
    alcohol toothpaste fleece parquet varnish jelly compote muesli dough caramel garlic ground water sun moon sea
    tide fire shampoo lye gingerbread
"""

EVENTS: list[tuple[str, ...]] = [
    # kitchen and house
    ("S", "put A into B = stellen A4 - in B4", "not", "hot meal: hot",
     "cooler at home: is full, small, crowded, broken"),
    ("S", "grate A with B = reiben A4 - mit B3", "not", "grated: soft, small", "grater: blunt, rusty, broken"),
    ("S", "crack A with B = knacken A4 - mit B3", "not", "nut: hard, large", "nutcracker: light, weak"),
    ("S", "stir A with B = um|rühren A4 - mit B3", "not", "dough: sticky, tough, stiff",
     "stirrer: short, bent, dirty, thin"),
    ("S", "bake A in B = backen A4 - in B3", "not", "baked: big, large, long", "oven: dirty, narrow, rusty"),
    ("S", "wash A in B = spülen A4 - in B3", "not", "crockery: valuable, delicate, large",
     "sink: is full, small, leaky"),
    ("S", "wipe A with B = ab|wischen A4 - mit B3", "not", "hot thing: hot", "tea towel: torn, worn-out, small"),
    ("S", "open A with B = öffnen A4 - mit B3", "not", "jar: jammed, slippery, smooth",
     "opener at home: bent, short, blunt, weak"),
    ("S", "iron A with B = bügeln A4 - mit B3", "not",
     "hanging clothes: delicate, thin; fine clothes: delicate, thin, is made of silk",
     "iron: cold, broken, sooty, sticky"),
    ("S", "sweep A with B = fegen A4 - mit B3", "not", "floor at home: large, muddy, sandy",
     "broom at home: worn-out, short, old, soft"),
    ("S", "put A into B = stecken A4 - in B4", "not", "plug at home: thick, bent, wide",
     "socket at home: narrow, blocked, occupied, is too far away"),
    ("S", "hide A under B = verstecken A4 unter B3", "did", "valuable: valuable, expensive, important",
     "hiding place: thick, large, wide, heavy"),
    ("S", "put A on B = stellen A4 - auf B4", "not", "hot pot: hot, sooty, greasy",
     "top: delicate, narrow, wobbly, sloping"),
    ("A", "burn in B = brennen - in B3", "not", "log: wet, damp, thick", "fireplace: blocked, is full, narrow"),
    ("A", "scratch B = zerkratzen B4", "did", "scratcher: sharp, pointed, hard",
     "scratched: soft, delicate, sensitive"),
    ("A", "stick to B = kleben - an B3", "not", "sticker at home: old, dry, heavy",
     "sticky ground: greasy, damp, dusty, uneven"),
    ("S", "carry A into B = tragen A4 - in B4", "not", "furniture: bulky, heavy, wide",
     "indoor place: cramped, is full, locked, low"),
    ("S", "wrap A in B = wickeln A4 in B4", "did", "breakable: fragile, valuable, delicate",
     "wrapper: soft, thick, fluffy"),
    ("S", "keep A in B = auf|bewahren A4 - in B3", "not", "smelly food: smells too strong, spoilt, mouldy",
     "store: warm, damp, dusty, is full"),
    ("S", "oil A with B = ölen A4 mit B3", "did", "hinge: rusty, squeaks, jammed", "grease: cheap, effective, runny"),
    ("S", "seal A with B = ab|dichten A4 mit B3", "did", "leaky thing: leaky, drips, draughty, leaks",
     "sealant: waterproof, sticky, elastic"),
    ("S", "scrub A with B = schrubben A4 - mit B3", "not", "scrubbed: hot, delicate, sensitive",
     "scrubber: soft, worn-out, torn"),
    ("S", "scrub A with B = schrubben A4 mit B3", "did", "scrubbed: greasy, muddy, sooty",
     "scrubber: coarse, strong, new"),
    ("S", "light A with B = beleuchten A4 - mit B3", "not", "dark place: large, long, spacious",
     "light at home: weak, dim, broken, tiny"),
    ("S", "heat A with B = beheizen A4 - mit B3", "not", "heated room: large, high, draughty",
     "stove: weak, blocked, dangerous"),
    ("A", "heat B = erwärmen B4 -", "not", "stove: weak, small", "heated room: large, high, draughty, spacious"),
    ("A", "suck B up = auf|saugen B4 -", "not", "sucker: weak, broken, is full, blocked",
     "sucked: heavy, big, sticky, large"),
    ("A", "fit onto B = passen - auf B4", "not", "lid: bent, warped, thick", "mouth: chipped, crooked, sloping"),
    ("A", "light B = beleuchten B4 -", "not", "light at home: weak, dim, small, tiny",
     "dark place: large, long, spacious"),
    ("S", "dry A with B = ab|trocknen A4 - mit B3", "not", "crockery: hot, large", "tea towel: wet, soaked, torn"),
    # clothes
    ("S", "wear A under B = tragen A4 - unter B3", "not", "warm layer: thick, baggy, scratchy, bulky",
     "outer layer: tight, see-through"),
    ("S", "wash A with B = waschen A4 - mit B3", "not", "fine clothes: delicate, valuable, is made of silk",
     "washing agent: strong, aggressive, smells too strong"),
    ("S", "mend A with B = flicken A4 - mit B3", "not", "worn clothes: worn-out, ragged, thick, big",
     "thread: thin, small, short"),
    ("S", "tie A up with B = zu|binden A4 - mit B3", "not", "tied: is full, thick, big, wide",
     "string at home: short, torn, thin, tangled, knotted"),
    ("S", "hang A in B = hängen A4 - in B4", "not", "hanging clothes: wet, long, muddy, soaked",
     "wardrobe: is full, low, cramped, dusty"),
    ("S", "dry A on B = trocknen A4 - auf B3", "not", "laundry: heavy, large, long, bulky",
     "rack: rusty, unstable, wobbly, hot"),
    ("A", "protect B from the rain = schützen B4 - vor dem Regen", "not",
     "shelter: leaky, torn, small, has a hole, thin",
     "luggage at home: big, wide, long"),
    ("S", "stuff A into B = stopfen A4 - in B4", "not", "bedding: bulky, thick, fluffy, wet",
     "stuffed: is full, narrow, cramped, locked"),
    ("S", "polish A with B = putzen A4 - mit B3", "not", "leather thing: wet, muddy, sensitive",
     "polish: hard, coarse, old"),
    ("S", "dye A with B = färben A4 - mit B3", "not", "dyed: greasy, valuable, wet, large",
     "dye: pale, poisonous, lumpy, expired"),
    # food
    ("A", "chew B = kauen B4 -", "not", "fed animal: toothless, ill, newborn, has no teeth",
     "chewed: hard, tough, dry, deep-frozen"),
    ("S", "spread A on B = streichen A4 - auf B4", "not", "spread: cold, runny, sticky, stiff",
     "slice: crumbly, hot, crispy, burnt, brittle"),
    ("S", "dip A into B = tunken A4 - in B4", "not", "dipped: big, crumbly, thick, greasy",
     "dip: hot, salty, spoilt, lukewarm"),
    ("S", "peel A with B = schälen A4 - mit B3", "not", "peeled: soft, ripe, hot, overripe",
     "peeler: blunt, rusty, big, bent"),
    ("S", "cut A on B = schneiden A4 - auf B3", "not", "sliced: big, long, large, greasy",
     "chopping board: wobbly, valuable, uneven, small"),
    ("S", "sweeten A with B = süßen A4 mit B3", "did", "sweetened: bitter, sour, tasteless",
     "sweetener: sweet, cheap, delicious"),
    ("S", "season A with B = würzen A4 mit B3", "did", "seasoned: tasteless, watery", "spice: aromatic, fresh, spicy"),
    ("S", "eat A out of B = essen A4 - aus B3", "not", "hot meal: salty, burnt, spicy, cold",
     "bowl: dirty, cracked, chipped, dusty"),
    ("S", "drink A out of B = trinken A4 - aus B3", "not", "drink: bitter, sour, lukewarm, spoilt",
     "cup: cracked, chipped, dusty, leaky, heavy"),
    ("S", "give A to B = geben B3 A4 -", "not", "titbit: salty, spicy, mouldy, poisonous",
     "fed animal: fat, ill, full, greedy"),
    ("S", "give A to B = geben B3 A4", "did", "titbit: fresh, delicious, healthy",
     "fed animal: hungry, thin, obedient, weak"),
    ("S", "fry A in B = braten A4 - in B3", "not", "fried: big, deep-frozen, spoilt, slimy",
     "frying pan: small, dirty, rusty, sooty"),
    ("S", "pick A from B = pflücken A4 - von B3", "not", "picked: unripe, small, hard, bitter",
     "fruit tree: high, prickly, has thorns, unstable"),
    ("S", "warm A up in B = auf|wärmen A4 - in B3", "not", "hot meal: spoilt, dry, mouldy",
     "warmer: dirty, small, rusty"),
    ("S", "put A on B = legen A4 - auf B4", "not", "baked: hot, sticky, big",
     "chopping board: dirty, small, dusty, wobbly"),
    ("S", "carry A in B = tragen A4 - in B3", "not", "baked: delicate, hot, big",
     "carrier: dirty, narrow, damp, crowded"),
    # garden
    ("S", "plant A in B = pflanzen A4 - in B4", "not", "planted: big, delicate, wilted",
     "soil: shady, dry, rocky, small, narrow"),
    ("S", "water A with B = gießen A4 - mit B3", "not", "watered: large, wet, damp",
     "hose: leaky, short, has a hole, cracked"),
    ("S", "mow A with B = mähen A4 - mit B3", "not", "mown: wet, large, high, steep",
     "scythe: blunt, rusty, loud, heavy"),
    ("S", "trim A with B = stutzen A4 - mit B3", "not", "trimmed: thick, dense, wet, long",
     "trimmer: blunt, rusty, weak, broken"),
    ("S", "dig A up with B = um|graben A4 - mit B3", "not", "dug: hard, rocky, dry, muddy",
     "spade: blunt, bent, broken, short"),
    ("S", "push A across B = schieben A4 - über B4", "not", "barrow: heavy, is full, wobbly",
     "rough ground: muddy, uneven, soft, sandy, steep"),
    ("A", "eat B = fressen B4", "did", "nibbler: greedy, hungry", "nibbled: tender, juicy, fresh, delicious"),
    ("A", "eat B = fressen B4 -", "not", "nibbler: full, ill, shy, timid", "nibbled: bitter, wilted, slimy, tough"),
    ("A", "grow on B = wachsen - auf B3", "not", "grown: sensitive, weak, delicate",
     "dry ground: dry, rocky, steep, sandy"),
    ("A", "land on B = landen - auf B3", "not", "insect at home: restless, shy, timid",
     "blossom: wet, wilted, slimy, icy"),
    ("S", "tie A to B = binden A4 - an B4", "not", "climbing plant: prickly, brittle, thorny, stiff",
     "post: wobbly, short, decayed, rusty"),
    ("S", "reach A with B = erreichen A4 - mit B3", "not", "high thing: hangs too high, high, is too far away",
     "reacher at home: short, low, wobbly, unstable"),
    ("A", "blow B over = um|wehen B4", "did", "gust: strong, violent", "blown: unstable, light, wobbly, decayed"),
    ("S", "throw A over B = werfen A4 - über B4", "not", "thrown: light, heavy, fragile",
     "thrown over: high, wide, tall"),
    # weather and nature
    ("A", "melt B = schmelzen B4", "did", "melter: hot, warm, strong", "melted: thin, small, soft"),
    ("A", "dry B = trocknen B4 -", "not", "dryer: weak, cold, damp", "laundry: thick, soaked, heavy"),
    ("A", "flood B = überschwemmen B4", "did", "flooder: high, wild, strong", "flooded: lies too low, flat"),
    ("A", "cover B = verdecken B4", "did", "cloud: dense, thick", "far sight: low, is too far away, small, tiny"),
    ("A", "carry B off = fort|reißen B4", "did", "current: strong, violent, wild",
     "carried off: light, unstable, decayed, weak"),
    ("A", "cross B = überqueren B4 -", "not", "small boat at home: leaky, unstable, has a hole, small",
     "wide water at home: wide, rough, icy, dangerous"),
    ("A", "drink from B = trinken - aus B3", "not", "led animal: shy, nervous, full, timid",
     "trough: dirty, frozen, muddy, empty, salty"),
    ("A", "shine through B = scheinen - durch B4", "not", "shining: weak, dim, pale",
     "shone through: dense; drape: thick"),
    ("A", "damage B = beschädigen B4", "did", "damaging: violent, strong", "damaged: delicate, fragile, thin"),
    ("S", "see A in B = sehen A4 - in B3", "not", "distant thing: is too far away, tiny, small", "haze: dense"),
    ("S", "clear A with B = räumen A4 - mit B3", "not", "cleared: icy, long, large, muddy",
     "snow tool: small, broken, weak"),
    ("A", "hold B = tragen B4 -", "not", "thin ground: thin, decayed, brittle, weak", "heavy guest: heavy, fat, large"),
    ("A", "drive B = an|treiben B4 -", "not", "drive at home: weak, slow", "mill: heavy, rusty, jammed, large"),
    ("A", "withstand B = stand|halten B3 -", "not", "storm-tried: unstable, weak, old, decayed",
     "onslaught: strong, violent, wild"),
    ("A", "land on B = landen - auf B3", "not", "aircraft at home: heavy, fast, big",
     "runway: short, icy, wet, bumpy, sloping"),
    ("A", "destroy B = zerstören B4", "did", "gust: violent, strong; damaging: violent, strong",
     "blown: wobbly, old, light; carried off: decayed, unstable"),
    # animals
    ("A", "sit on B = sitzen - auf B3", "not", "sitter: heavy, fat, restless, big",
     "perch: thin, wobbly, icy, prickly, slippery"),
    ("A", "fly over B = fliegen - über B4", "not", "migrant: weak, young, injured, tired, exhausted",
     "flown over: high, large, wide"),
    ("A", "attack B = an|greifen B4", "did", "attacker: hungry, aggressive, wild, angry",
     "victim: weak, slow, careless, injured, newborn"),
    ("A", "attack B = an|greifen B4 -", "not", "attacker: tired, full, cowardly, sleepy, tame",
     "stung: strong, big, fast"),
    ("A", "follow B = folgen B3", "did", "youngster: curious, trusting, lonely, playful, wants to play",
     "followed: colourful, shiny, slow, interesting"),
    ("A", "steal B = stehlen B4", "did", "thief: greedy, hungry, cheeky, cunning",
     "loot: delicious, fresh; glittering loot: shiny, colourful, valuable"),
    ("A", "open B = öffnen B4 -", "not", "thief: clumsy, weak, stupid, small",
     "shut thing: locked, jammed, heavy, hard"),
    ("A", "sleep next to B = schlafen neben B3", "did", "fed animal: tired, sleepy, exhausted, lonely",
     "warm spot: warm, cosy, hot"),
    ("A", "lie on B = liegen - auf B3", "not", "bathed: restless, hungry, nervous, wants to play",
     "hard bed: hard, wet, cold, scratchy, damp"),
    ("A", "slip through B = schlüpfen - durch B4", "not", "sneaker: fat, big, pregnant, clumsy",
     "hole: narrow, tight, blocked, small"),
    ("A", "carry B home = tragen B4 - nach Hause", "not", "bearer: weak, tired, small, exhausted, lazy",
     "find: heavy, large, slippery, bulky"),
    ("A", "drive B away = vertreiben B4 -", "not", "scarer: quiet, old, harmless",
     "pest: hungry, greedy, cheeky, brave"),
    ("S", "lead A through B = führen A4 - durch B4", "not", "led animal: stubborn, nervous, restless, lame, timid",
     "hard way: narrow, dark; ford: deep, wide, muddy"),
    ("S", "lock A in B = sperren A4 in B4", "did", "locked-up animal: aggressive, wild, loud, naughty, dangerous",
     "kennel: spacious, empty, safe"),
    ("S", "keep A in B = halten A4 - in B3", "not", "house animal: restless, loud, wild, fat",
     "small home: small, cold, dark, cramped"),
    ("S", "bathe A in B = baden A4 - in B3", "not", "bathed: nervous, timid, ill, aggressive, restless",
     "bathtub: cold, deep, leaky, muddy, icy"),
    ("S", "brush A with B = bürsten A4 - mit B3", "not", "brushed: restless, wet, ticklish, muddy, stubborn",
     "hairbrush: hard, broken, worn-out, coarse"),
    ("S", "feed A with B = füttern A4 mit B3", "did", "eater: hungry, thin, newborn, weak",
     "fodder: healthy, fresh, nutritious, cheap"),
    ("S", "feed A with B = füttern A4 - mit B3", "not", "eater: fat, full, sleepy, greedy",
     "fodder: mouldy, expensive, rotten, poisonous"),
    ("S", "take A to B = bringen A4 zu B3", "did", "fed animal: ill, injured, lame, has a fever",
     "clinic: famous, modern"),
    ("A", "guard B = bewachen B4 -", "not", "guard: sleepy, lazy, timid, blind, cowardly", "guarded: large, remote"),
    ("A", "jump onto B = springen - auf B4", "not", "jumper: fat, lame, tired, clumsy, sleepy",
     "high place: high, slippery, unstable, wobbly"),
    ("A", "swim to B = schwimmen - zu B3", "not", "swimmer: weak, tired, exhausted, injured",
     "far shore: is too far away, remote, dangerous, icy"),
    ("A", "sting B = stechen B4 -", "not", "stinger: full, lazy, tired, weak", "stung: thick-skinned, fast"),
    ("A", "live in B = leben - in B3", "not", "house animal: big, wild, restless", "small home: cramped, cold, dark"),
    ("A", "run through B = laufen - durch B4", "not", "led animal: old, lame, lazy, timid",
     "hard way: narrow, dark; ford: deep, cold, muddy"),
    ("A", "hide in B = verstecken sich in B3", "did", "sneaker: shy, scared, nervous, timid",
     "thicket: dense, thick; kennel: empty, dark, safe"),
    ("A", "catch B = fangen B4 -", "not", "hunter: slow, clumsy, lame, blind", "migrant: fast, cautious, cunning"),
    # play and toys
    ("S", "hit A with B = treffen A4 - mit B3", "not", "target at home: is too far away, tiny, small",
     "shot: light, crooked, slow, bent"),
    ("S", "inflate A with B = auf|pumpen A4 - mit B3", "not", "inflated: leaky, torn, has a hole, has holes",
     "pump: weak, rusty, does not work, jammed"),
    ("S", "build A out of B = bauen A4 - aus B3", "not", "built: complicated, large, high",
     "material: dry, soft, wet, crumbly"),
    ("A", "fit into B = passen - in B4", "not", "cuddly: big, fat, bulky, long",
     "toy place: small, narrow, is full, cramped"),
    ("A", "slide down B = hinunter|rutschen B4 -", "not", "slider: rusty, old, broken",
     "piste: flat, bumpy, muddy, uneven, sandy"),
    ("S", "play with A in B = spielen - mit A3 in B3", "not", "loud toy: loud, dangerous, big, fast",
     "playroom: cramped, dark, crowded, small, draughty"),
    ("S", "solve A with B = lösen A4 - mit B3", "not", "puzzle: difficult, tricky, complicated",
     "aid: old-fashioned, simple"),
    ("S", "colour A with B = aus|malen A4 - mit B3", "not", "coloured: large, wet, valuable",
     "crayon: dry, pale, expensive, hard"),
    ("S", "glue A to B = kleben A4 - an B4", "not", "glued: heavy, wet, thick",
     "glued to: dusty, uneven, crumbly, damp"),
    ("S", "put A on B = setzen A4 - auf B4", "not", "rider: restless, timid, ill, scared",
     "ride: high, wobbly, unstable, fast, broken"),
    ("A", "float on B = schwimmen - auf B3", "not", "floater: heavy, leaky, soaked, has a hole",
     "small water: shallow, frozen, icy, rough"),
    ("A", "attract B = an|ziehen B4 -", "not", "magnet: weak, small, rusty",
     "attracted: heavy, large, is too far away, is made of wood"),
    # body and medicine
    ("S", "bandage A with B = verbinden A4 - mit B3", "not", "hurt limb: swollen, sore, hurts, inflamed",
     "bandage: short, dirty, narrow, damp"),
    ("S", "bandage A with B = verbinden A4 mit B3", "did", "hurt limb: bleeds, sore, hurts",
     "bandage: clean, soft, dry, fresh"),
    ("S", "take A with B = ein|nehmen A4 - mit B3", "not", "swallowed: strong, expired, big, dangerous",
     "drink: hot, sour, lukewarm, spoilt"),
    ("S", "remove A with B = entfernen A4 - mit B3", "not", "splinter: tiny, small, slippery, sits too deep",
     "tweezers: blunt, rusty, dirty, thick"),
    ("S", "wash A with B = waschen A4 - mit B3", "not", "washed limb: sore, swollen, hurts, inflamed, sensitive",
     "body wash: strong, expensive; washcloth: scratchy, coarse"),
    ("S", "cool A with B = kühlen A4 mit B3", "did", "cooled: swollen, hot, hurts, inflamed",
     "coolant: cold, damp, ice-cold"),
    ("S", "put A on B = legen A4 - auf B4", "not", "laid on: hot, heavy, wet, leaky",
     "sore place: sore, swollen, sensitive, inflamed"),
    ("A", "hold B = halten B4 -", "not", "grasper: weak, injured, numb, sore", "grasped: heavy, slippery, hot"),
    ("A", "fit into B = passen - in B4", "not", "rolling bed: wide, long, bulky, big",
     "ward: narrow, small, is full, cramped"),
    ("S", "carry A on B = tragen A4 - auf B3", "not", "load: heavy, bulky, is full, wet",
     "carrying part: sore, injured, weak, hurts"),
    ("A", "fit over B = passen - über B4", "not", "hand wear: tight, narrow, small", "hand part: swollen, thick, big"),
    ("A", "fit over B = passen - über B4", "not", "foot wear: tight, narrow, small", "foot part: swollen, thick"),
    ("S", "pull A over B = ziehen A4 - über B4", "not", "hand wear: tight, wet, small",
     "hand part: sore, inflamed, swollen"),
    ("S", "pull A over B = ziehen A4 - über B4", "not", "foot wear: tight, wet, small",
     "foot part: sore, inflamed, swollen"),
    ("A", "press on B = drücken an B3", "did", "hand wear: tight, hard, narrow", "hand part: swollen, sore, sensitive"),
    ("A", "press on B = drücken an B3", "did", "foot wear: tight, hard, narrow, stiff",
     "foot part: swollen, sore, sensitive"),
    ("S", "treat A with B = behandeln A4 - mit B3", "not", "skin trouble: serious",
     "skin medicine: expensive, expired, old"),
    ("S", "treat A with B = behandeln A4 - mit B3", "not", "illness: serious", "medicine: expensive, expired, bitter"),
    ("S", "treat A with B = behandeln A4 mit B3", "did", "skin trouble: serious, hurts",
     "skin medicine: effective, mild, cheap"),
    ("S", "treat A with B = behandeln A4 mit B3", "did", "illness: serious, comes back again and again",
     "medicine: effective, mild, cheap"),
    ("A", "cure B = heilen B4 -", "not", "skin medicine: weak, old, expired", "skin trouble: serious"),
    ("A", "cure B = heilen B4 -", "not", "medicine: weak, old, expired",
     "illness: serious, comes back again and again"),
    ("A", "cure B = heilen B4", "did", "medicine: effective, strong", "illness: harmless"),
    ("A", "cure B = heilen B4", "did", "skin medicine: effective, strong", "skin trouble: harmless"),
    # more that did happen
    ("S", "wear A over B = tragen A4 über B3", "did", "over layer: warm, thick, waterproof",
     "under layer: thin, torn, see-through"),
    ("S", "soak A in B = ein|weichen A4 in B3", "did", "washing: dirty, muddy, sticky, dusty",
     "washtub: large, deep, empty"),
    ("S", "cut A with B = schneiden A4 mit B3", "did", "sliced: tough, thick", "blade: sharp, pointed, new"),
    ("S", "open A with B = öffnen A4 mit B3", "did", "jar: jammed", "opener at home: practical, new"),
    ("S", "dry A with B = ab|trocknen A4 mit B3", "did", "crockery: wet", "tea towel: dry, clean, soft"),
    ("S", "put A into B = stellen A4 in B4", "did", "hot meal: spoils quickly", "cooler at home: cool, empty, cold"),
    ("S", "tie A to B = binden A4 an B4", "did", "climbing plant: weak, young, delicate", "post: strong, straight"),
    ("S", "water A with B = gießen A4 mit B3", "did", "watered: dry", "hose: practical, is full"),
    ("S", "dig A up with B = um|graben A4 mit B3", "did", "dug: overgrown, fertile", "spade: sharp, pointed, light"),
    ("S", "plant A in B = pflanzen A4 in B4", "did", "planted: young, rare, beautiful",
     "soil: fertile, sunny, moist, empty"),
    ("S", "hit A with B = treffen A4 mit B3", "did", "target at home: big, large", "shot: fast, straight"),
    ("S", "throw A over B = werfen A4 über B4", "did", "thrown: light", "thrown over: low"),
    ("S", "put A on B = setzen A4 auf B4", "did", "rider: brave, curious, bored", "ride: safe, low, comfortable"),
    ("S", "keep A in B = halten A4 in B3", "did", "house animal: quiet, tame, rare",
     "small home: warm, spacious, safe"),
    ("S", "lead A through B = führen A4 durch B4", "did", "led animal: brave, obedient, thirsty",
     "ford: shallow, clean"),
    ("A", "sit on B = sitzen auf B3", "did", "sitter: curious, sleepy, tired", "perch: high, warm, safe"),
    ("A", "jump onto B = springen auf B4", "did", "jumper: playful, curious, scared, wants to play",
     "high place: low, warm"),
    ("A", "slip through B = schlüpfen durch B4", "did", "sneaker: thin, scared, clever, wants to get out",
     "hole: wide, open, large"),
    ("A", "drink from B = trinken aus B3", "did", "led animal: thirsty", "trough: clean, is full"),
    ("A", "land on B = landen auf B3", "did", "insect at home: tired, hungry, exhausted",
     "blossom: fragrant, colourful, open"),
    ("A", "drive B = an|treiben B4", "did", "drive at home: strong, fast", "mill: light, small"),
    ("A", "hold B = tragen B4", "did", "thin ground: thick, strong", "light guest: light, small"),
    ("A", "heat B = erwärmen B4", "did", "stove: hot, modern", "heated room: small"),
    ("A", "carry B home = tragen B4 nach Hause", "did", "bearer: strong, hungry", "find: light, round, delicious"),
    ("A", "dry B = trocknen B4", "did", "dryer: warm, strong, hot", "laundry: thin, light"),
    ("A", "cross B = überqueren B4", "did", "small boat at home: fast, modern, safe",
     "wide water at home: narrow, calm"),
    ("A", "float on B = schwimmen auf B3", "did", "floater: light, waterproof, hollow", "small water: deep, calm"),
    ("A", "attract B = an|ziehen B4", "did", "magnet: strong, large", "attracted: light, is made of iron"),
    ("A", "shine through B = scheinen durch B4", "did", "shining: bright, strong", "drape: thin, torn, see-through"),
    ("A", "stick to B = kleben an B3", "did", "sticker at home: sticky, new", "sticky ground: dry, clean, smooth"),
    ("A", "withstand B = stand|halten B3", "did", "storm-tried: strong, new", "onslaught: weak, harmless"),
]
