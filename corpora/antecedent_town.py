"""More nouns, adjectives and events for antecedent_words.py and pronoun_words.py: town, travel, work, school, sport.

1  Verbs       the forms that no rule gives
2  Nouns       kinds that the events below tell of, and the first generator of none
3  Adjectives  English = German; "!" has no degrees
4  Events      as antecedent_words.EVENTS: who, row, whether it happened, reasons of A, reasons of B
"""

from __future__ import annotations

# fmt: off
# ─── 1 Verbs ─────────────────────────────────────────────────────────────────────────────────────────────────────────
IRREGULAR = "slide slid slid"
DOUBLED = "prefer scan prop"
STRONG = """
    weichen weicht wich gewichen; dringen dringt drang gedrungen; durchbohren durchbohrt durchbohrte durchbohrt;
    überragen überragt überragte überragt; übertönen übertönt übertönte übertönt
"""
WITH_SEIN = "einbiegen weichen zusammenbrechen dringen"
MASS = """
    luggage cargo coal sand gravel cement concrete glue petrol tar diesel ink music noise shouting sandpaper steel
    timber traffic wool handwriting string cardboard homework barking ringing soap cash
"""

# ─── 2 Nouns ─────────────────────────────────────────────────────────────────────────────────────────────────────────
NOUNS = {
    "portable instrument": """
        clarinet = die Klarinette; mouth organ = die Mundharmonika; accordion = das Akkordeon; bassoon = das Fagott;
        ukulele = die Ukulele; banjo = das Banjo; trumpet = die Trompete; double bass = der Kontrabass; dulcimer = das
        Hackbrett; gong = der Gong; bagpipe = der Dudelsack; tambourine = das Tamburin; horn = das Horn; bugle = das
        Signalhorn; drum = die Trommel; violin bow = der Geigenbogen""",
    "big vehicle": """
        bus = der Bus; truck = der Lastwagen; double-decker = der Doppeldecker; police van = das
        Polizeifahrzeug; dustcart = das Müllauto; removal van = der Möbelwagen; camper van = das Wohnmobil;
        snowplough = der Schneepflug; coach = der Reisebus; trailer = der Anhänger; steamroller = die
        Dampfwalze; stagecoach = die Postkutsche; combine harvester = der Mähdrescher; hay wagon = das
        Heufuhrwerk""",
    "low way": """
        underpass = die Unterführung; railway bridge = die Eisenbahnbrücke; tunnel = der Tunnel; archway = der
        Torbogen; gate = das Tor; garage entrance = die Garageneinfahrt; carport = das Schutzdach; viaduct = das
        Viadukt""",
    "parking place": """
        parking space = die Parklücke; garage = die Garage; courtyard = der Hof; multi-storey car park = das
        Parkhaus; shed = der Schuppen; car park = der Parkplatz; driveway = die Auffahrt""",
    "small street": """
        lane = die Gasse; side street = die Nebenstraße; alley = das Gässchen; cycle path = der Radweg; forest
        track = der Waldweg; towpath = der Treidelpfad; driveway = die Auffahrt; dirt track = der Feldweg; pass
        = der Gebirgspass""",
    "crossing place": """
        crossing = die Kreuzung; level crossing = der Bahnübergang; roundabout = der Kreisverkehr; zebra
        crossing = der Zebrastreifen; footbridge = die Fußgängerbrücke; town gate = das Stadttor; exit = die
        Ausfahrt""",
    "bike": """
        scooter = der Roller; racing bike = das Rennrad; e-bike = das E-Bike; tricycle = das Dreirad; moped =
        das Moped; handcart = der Handwagen; pram = der Kinderwagen; bicycle = das Fahrrad; rickshaw = die
        Rikscha; wheelchair = der Rollstuhl; motor scooter = der Motorroller""",
    "rail": """
        express train = der Schnellzug; suburban train = die S-Bahn; underground train = die U-Bahn; tram = die
        Straßenbahn; night train = der Nachtzug; railcar = der Triebwagen; regional train = die Regionalbahn;
        special train = der Sonderzug""",
    "road transport": """
        bus = der Bus; taxi = das Taxi; coach = der Reisebus; minibus = der Kleinbus; shuttle = das Sammeltaxi;
        cab = die Droschke; ferry = die Fähre; tram = die Straßenbahn""",
    "stop": """
        stop = die Haltestelle; station = der Bahnhof; platform = der Bahnsteig; signal box = das Stellwerk;
        ferry pier = der Fähranleger; terminus = die Endstation""",
    "post or pole": """
        bollard = der Poller; signpost = der Wegweiser; road sign = das Verkehrsschild; hedge = die Hecke; crash
        barrier = die Leitplanke; fence = der Zaun; turnstile = das Drehkreuz; glass door = die Glastür; stall =
        der Marktstand; bus shelter = das Wartehäuschen; shop window = das Schaufenster""",
    "road hazard": """
        pothole = das Schlagloch; building site = die Baustelle; speed bump = die Bodenschwelle; ditch = der
        Graben; crack = der Riss; puddle = die Pfütze; landslide = der Erdrutsch; roadblock = die Straßensperre;
        hole = das Loch""",
    "small boat": """
        rowing boat = das Ruderboot; canoe = das Kanu; gondola = die Gondel; kayak = der Kajak; catamaran = der
        Katamaran; dinghy = die Jolle; fishing boat = das Fischerboot; rubber dinghy = das Schlauchboot; punt =
        der Stechkahn; raft = das Floß; cutter = der Kutter""",
    "big ship": """
        cruise ship = das Kreuzfahrtschiff; freighter = der Frachter; icebreaker = der Eisbrecher; container
        ship = das Containerschiff; car ferry = die Autofähre; frigate = die Fregatte; oil tanker = der
        Öltanker; galley = die Galeere; submarine = das U-Boot""",
    "wide water": """
        sea = das Meer; lake = der See; river = der Fluss; strait = die Meerenge; bay = die Bucht; ocean = der
        Ozean; reservoir = das Staubecken; lagoon = die Lagune; canal = der Kanal""",
    "port": """
        harbour = der Hafen; dock = das Dock; lock = die Schleuse; marina = der Jachthafen; bay = die Bucht;
        harbour basin = das Hafenbecken""",
    "aircraft": """
        aeroplane = das Flugzeug; helicopter = der Hubschrauber; jet = der Düsenjet; glider = das Segelflugzeug;
        cargo plane = die Frachtmaschine; airship = das Luftschiff; passenger plane = die Passagiermaschine;
        biplane = der Doppeldecker; drone = die Drohne""",
    "landing place": """
        runway = die Landebahn; airfield = der Flugplatz; meadow = die Wiese; field = das Feld; airport = der
        Flughafen; beach = der Strand""",
    "peak": """
        volcano = der Vulkan; mountain range = das Gebirge; glacier = der Gletscher; summit = der Gipfel; rock
        face = die Felswand; mountain = der Berg; ridge = der Bergkamm; cliff = die Klippe; massif = das
        Bergmassiv""",
    "tower truck": """
        tow truck = der Abschleppwagen; jeep = der Jeep; locomotive = die Lokomotive; tractor = der Traktor;
        horse = das Pferd; ox = der Ochse Ochsen; winch = die Winde; mule = das Maultier""",
    "wreck": """
        wreck = das Wrack; trailer = der Anhänger; caravan = der Wohnwagen; excavator = der Bagger; crane = der
        Kran; camper van = das Wohnmobil; carriage = die Kutsche; steam engine = die Dampfmaschine; lorry = der
        Laster""",
    "freight": """
        container = der Container; load = die Ladung; crate = die Kiste; pallet = die Palette; boiler = der
        Heizkessel; barrel = das Fass; machine = die Maschine; pipe = das Rohr; steel beam = der Stahlträger;
        block of stone = der Steinblock; piano = das Klavier; generator = der Generator""",
    "luggage": """
        suitcase = der Koffer; luggage = das Gepäck; travel bag = die Reisetasche; trolley case = der
        Rollkoffer; rucksack = der Rucksack; surfboard = das Surfbrett; cello = das Cello; parcel = das Paket;
        hatbox = die Hutschachtel; tent = das Zelt; kitbag = der Seesack; sledge = der Schlitten""",
    "luggage place": """
        luggage rack = die Gepäckablage; roof rack = der Dachgepäckträger; trolley = der Gepäckwagen; seat = der
        Sitz; shelf = das Regal""",
    "cart": """
        wheelbarrow = die Schubkarre; handcart = der Handwagen; shopping trolley = der Einkaufswagen; van = der
        Lieferwagen; trailer = der Anhänger; cargo bike = das Lastenrad; lorry = der Laster; estate car = der
        Kombi; horse cart = das Fuhrwerk""",
    "rider board": """
        sledge = der Schlitten; skateboard = das Skateboard; snowboard = das Snowboard; scooter = der Roller;
        toboggan = der Rodelschlitten; soapbox cart = die Seifenkiste; bicycle = das Fahrrad; sleigh = die Rodel""",
    "slope way": """
        ramp = die Rampe; ski run = die Piste; slope = der Hang; hill = der Hügel; driveway = die Auffahrt;
        mountain path = der Bergpfad; embankment = die Böschung; serpentine = die Serpentine; footpath = der
        Fußweg; access road = das Zufahrtssträßchen""",
    "place in town": """
        town hall = das Rathaus; police station = die Polizeiwache; swimming pool = das Schwimmbad; department
        store = das Kaufhaus; pharmacy = die Apotheke; youth hostel = die Jugendherberge; inn = der Gasthof; zoo
        = der Zoo; playground = der Spielplatz; gym = das Fitnessstudio; ice rink = die Eisbahn; campsite = der
        Campingplatz; market = der Markt; dump = die Müllkippe; petrol station = die Tankstelle""",
    "shop": """
        bookshop = die Buchhandlung; department store = das Kaufhaus; supermarket = der Supermarkt; kiosk = der
        Kiosk; shopping centre = das Einkaufszentrum; butcher's shop = die Metzgerei; flea market = der
        Flohmarkt; garden centre = die Gärtnerei; corner shop = der Eckladen; boutique = die Boutique; antique
        shop = das Antiquitätengeschäft""",
    "tall building": """
        skyscraper = der Wolkenkratzer; cathedral = der Dom; television tower = der Fernsehturm; tower block =
        das Hochhaus; power station = das Kraftwerk; pyramid = die Pyramide; fortress = die Festung; chimney =
        der Schornstein; lighthouse = der Leuchtturm; silo = das Silo""",
    "low building": """
        chapel = die Kapelle; bungalow = der Bungalow; kiosk = der Kiosk; cottage = das Häuschen; hut = die
        Hütte; petrol station = die Tankstelle; pavilion = der Pavillon; chalet = das Ferienhaus; memorial = das
        Denkmal; well = der Brunnen""",
    "event hall": """
        hall = die Halle; theatre = das Theater; stadium = das Stadion; ballroom = der Ballsaal; arena = die
        Arena; town hall = das Rathaus; auditorium = die Aula; marquee = das Festzelt; lecture hall = der
        Hörsaal; castle courtyard = der Schlosshof; concert hall = der Konzertsaal""",
    "show": """
        concert = das Konzert; lecture = die Vorlesung; circus show = die Zirkusvorstellung; ball = der Ball;
        auction = die Versteigerung; ballet = das Ballett; quiz = das Quiz; flea market = der Flohmarkt;
        exhibition = die Ausstellung; slide show = der Diavortrag; puppet show = das Puppenspiel; boxing match =
        der Boxkampf""",
    "room": """
        cellar = der Keller; attic = der Dachboden; workshop = die Werkstatt; bathroom = das Badezimmer; bedroom
        = das Schlafzimmer; classroom = das Klassenzimmer; corridor = der Flur; studio = das Atelier; storeroom
        = die Abstellkammer; office = das Büro; stairwell = das Treppenhaus; warehouse = die Lagerhalle; dining
        room = der Speisesaal; gymnasium = die Turnhalle; meeting room = der Sitzungssaal""",
    "document": """
        form = das Formular; invoice = die Rechnung; receipt = der Beleg; document = das Dokument; diploma = die
        Urkunde; contract = der Vertrag; application = der Antrag; manuscript = das Manuskript; report = der
        Bericht; drawing = die Zeichnung; building plan = der Bauplan; questionnaire = der Fragebogen; payslip =
        die Lohnabrechnung; vaccination card = der Impfpass""",
    "data": """
        file = die Datei; video = das Video; program = das Programm; photo = das Foto; backup = das Backup;
        recording = die Aufnahme; film = der Film; attachment = der Anhang; spreadsheet = die Tabelle;
        presentation = die Präsentation; archive = das Archiv; dataset = der Datensatz""",
    "software": """
        program = das Programm; app = die App; game = das Spiel; update = das Update; virus scanner = der
        Virenscanner; browser = der Browser; driver = der Treiber; operating system = das Betriebssystem;
        software package = das Softwarepaket; chess program = das Schachprogramm; navigation app = die
        Navigations-App""",
    "drive": """
        hard disk = die Festplatte; memory stick = der USB-Stick; memory card = die Speicherkarte; drive = das
        Laufwerk; server = der Server; computer = der Computer; tablet = das Tablet; laptop = der Laptop;
        smartphone = das Smartphone""",
    "computer": """
        computer = der Computer; laptop = der Laptop; tablet = das Tablet; smartphone = das Smartphone; games
        console = die Spielkonsole; mobile phone = das Handy; server = der Server; workstation = die Workstation""",
    "office machine": """
        copier = der Kopierer; fax machine = das Faxgerät; multifunction device = das Multifunktionsgerät;
        machine = die Maschine; camera = die Kamera""",
    "shredder": """
        shredder = der Aktenvernichter; machine = die Maschine; cutting device = das Schneidegerät""",
    "punch": """
        hole punch = der Locher; machine = die Maschine; awl = die Ahle; punching device = das Lochgerät""",
    "folder": """
        folder = der Ordner; portfolio = die Mappe; envelope = der Umschlag; filing tray = das Ablagefach;
        pigeonhole = das Postfach; briefcase = die Aktentasche""",
    "reader": """
        scanner = der Scanner; till = die Kasse; camera = die Kamera; program = das Programm; ticket machine =
        der Fahrkartenautomat; reading device = das Lesegerät; robot = der Roboter; app = die App""",
    "mark": """
        barcode = der Barcode; fingerprint = der Fingerabdruck; signature = die Unterschrift; code = der Code;
        number plate = das Nummernschild; postmark = der Stempel; watermark = das Wasserzeichen; number = die
        Nummer; symbol = das Symbol""",
    "plug": """
        plug = der Stecker; cable = das Kabel; adapter = der Adapter; memory stick = der USB-Stick; memory card
        = die Speicherkarte; charger = das Ladegerät; fuse = die Sicherung""",
    "socket": """
        socket = die Steckdose; slot = der Schlitz; connection = der Anschluss; device = das Gerät; extension
        block = die Steckerleiste; compartment = das Fach""",
    "cable": """
        cable = das Kabel; extension lead = das Verlängerungskabel; power line = die Leitung; cord = die Schnur;
        wire = der Draht; connector = der Verbindungsdraht""",
    "chargeable": """
        mobile phone = das Handy; camera = die Kamera; smartphone = das Smartphone; laptop = der Laptop; torch =
        die Taschenlampe; shaver = der Rasierapparat; tablet = das Tablet; car battery = die Autobatterie""",
    "light": """
        ceiling lamp = die Deckenlampe; chandelier = der Kronleuchter; floodlight = der Scheinwerfer; street
        lamp = die Straßenlaterne; neon tube = die Neonröhre; light = das Licht; lantern = die Laterne;
        spotlight = der Strahler; night light = das Nachtlicht; light bulb = die Glühbirne; candlestick = der
        Leuchter""",
    "insect": """
        moth = der Nachtfalter; mosquito = die Mücke; beetle = der Käfer; insect = das Insekt; bee = die Biene;
        cricket = die Grille; firefly = das Glühwürmchen; bumblebee = die Hummel; ladybird = der Marienkäfer""",
    "power source": """
        battery = die Batterie; engine = der Motor; generator = der Generator; windmill = die Windmühle; water
        wheel = das Wasserrad; turbine = die Turbine; dynamo = der Dynamo; solar panel = das Solarmodul""",
    "powered": """
        mill = die Mühle; pump = die Pumpe; conveyor belt = das Förderband; saw = die Säge; lift = der Aufzug;
        merry-go-round = das Karussell; excavator = der Bagger; escalator = die Rolltreppe; concrete mixer = der
        Betonmischer; paddle steamer = der Raddampfer""",
    "heater": """
        heater = die Heizung; stove = der Ofen; fire = das Feuer; radiator = der Heizkörper; fireplace = der
        Kamin; fan heater = das Heizgerät; hot-air blower = das Heizgebläse""",
    "cooler": """
        fan = der Ventilator; air conditioner = die Klimaanlage; cooling unit = das Kühlaggregat; ventilation =
        die Lüftung; cooling device = das Kühlgerät; blower = der Lüfter""",
    "reacher": """
        ladder = die Leiter; cable = das Kabel; rope = das Seil; hose = der Schlauch; crane = der Kran; pole =
        die Stange; fishing net = das Fangnetz; grab = der Greifer""",
    "distant part": """
        balcony = der Balkon; chimney = der Schornstein; attic window = das Dachfenster; roof = das Dach;
        treetop = der Wipfel; lamp = die Lampe; nest = das Nest; viewing platform = die Aussichtsplattform;
        gutter = die Dachrinne""",
    "support": """
        shelf = das Regal; bench = die Bank; bridge = die Brücke; board = das Brett; stool = der Hocker; stage =
        die Bühne; pier = der Steg; branch = der Ast; scaffold = das Gerüst; workbench = die Werkbank; pillar =
        die Säule; grandstand = die Tribüne""",
    "weight": """
        machine = die Maschine; safe = der Safe; statue = die Statue; bell = die Glocke; piano = das Klavier;
        anvil = der Amboss; tombstone = der Grabstein; crate = die Kiste; cannon = die Kanone; engine = der
        Motor; millstone = der Mühlstein; barrel = das Fass; monument = das Denkmal""",
    "crushable": """
        box = die Schachtel; basket = der Korb; tent = das Zelt; greenhouse = das Gewächshaus; tin = die Dose;
        hat = der Hut; paper lantern = der Lampion; carton = der Karton; sandcastle = die Sandburg; doll's house
        = das Puppenhaus""",
    "building material": """
        plank = das Brett; beam = der Balken; tile = die Fliese; brick = der Ziegel; pipe = das Rohr; pole = die
        Stange; sheet of metal = das Blech; slab = die Platte; log = der Baumstamm; rail = die Schiene; block of
        wood = der Holzklotz; strut = die Strebe""",
    "saw": """
        saw = die Säge; chainsaw = die Motorsäge; knife = das Messer; hatchet = das Beil; bread knife = das
        Brotmesser; angle grinder = der Trennschleifer; fretsaw = die Laubsäge""",
    "drill": """
        drill = die Bohrmaschine; drill bit = der Bohrer; chisel = der Meißel; tool = das Werkzeug; pickaxe =
        die Spitzhacke; hammer drill = der Bohrhammer; crowbar = das Brecheisen""",
    "nail": """
        nail = der Nagel; hook = der Haken; screw = die Schraube; peg = der Dübel; bolt = der Bolzen; bracket =
        die Klammer; staple = die Krampe; iron rod = das Eisen""",
    "wall": """
        wall = die Wand; ceiling = die Decke; beam = der Balken; door = die Tür; board = das Brett; floor = der
        Boden; plaster = der Putz; partition = die Trennwand; masonry = das Mauerwerk""",
    "poster": """
        poster = das Plakat; sticker = der Aufkleber; signboard = das Schild; wallpaper = die Tapete; notice =
        der Aushang; photograph = das Foto; calendar = der Kalender; banner = das Banner; picture postcard = die
        Ansichtskarte""",
    "measure": """
        ruler = das Lineal; tape measure = das Maßband; folding rule = der Zollstock; measuring stick = der
        Messstab; measuring tape = die Messschnur; sewing tape = das Bandmaß""",
    "hoist": """
        crane = der Kran; winch = die Winde; forklift = der Gabelstapler; jack = der Wagenheber; lever = der
        Hebel; pulley = der Flaschenzug; lifting platform = die Hebebühne; rope = das Seil; goods lift = der
        Lastenaufzug""",
    "liquid": """
        concrete = der Beton; paint = die Farbe; glue = der Kleber; petrol = das Benzin; oil = das Öl; tar = der
        Teer; ink = die Tinte; water = das Wasser; varnish = der Lack; acid = die Säure; wax = das Wachs; soup =
        die Suppe""",
    "bucket": """
        bucket = der Eimer; barrel = das Fass; tin = die Dose; canister = der Kanister; jug = der Krug; tub =
        die Wanne; mould = die Form; basin = das Becken; funnel = der Trichter; bottle = die Flasche""",
    "floor": """
        floor = der Boden; courtyard = der Hof; terrace = die Terrasse; pavement = der Gehsteig; platform = der
        Bahnsteig; balcony = der Balkon; entrance hall = die Eingangshalle; square = der Platz; path = der Weg;
        deck = das Deck""",
    "broom": """
        broom = der Besen; brush = die Bürste; sweeper = die Kehrmaschine; hand brush = der Handfeger; sweeping
        machine = das Kehrgerät; mop = der Mopp""",
    "roofing": """
        tarpaulin = die Plane; cloth = das Tuch; blanket = die Decke; cover = der Überzug; sheet = das Laken;
        awning = die Markise; foil = die Folie; sack = der Sack""",
    "covered": """
        boat = das Boot; stall = der Marktstand; piano = das Klavier; car = das Auto; stage = die Bühne; statue
        = die Statue; woodpile = der Holzstapel; sofa = das Sofa; flower bed = das Beet; sandpit = der
        Sandkasten; motorbike = das Motorrad; table = der Tisch""",
    "schoolbook": """
        atlas = der Atlas; textbook = das Lehrbuch; encyclopedia = das Lexikon; folder = der Ordner; exercise
        book = das Heft; dictionary = das Wörterbuch; picture book = das Bilderbuch; paint box = der Malkasten;
        box file = die Mappe; recorder = die Blockflöte; globe = der Globus; lunch box = die Brotdose""",
    "schoolbag": """
        satchel = der Schulranzen; school bag = die Schultasche; locker = das Schließfach; drawer = die
        Schublade; backpack = der Rucksack; compartment = das Fach; sports bag = der Turnbeutel; school desk =
        das Pult""",
    "school text": """
        sentence = der Satz; word = das Wort; task = die Aufgabe; dictation = das Diktat; formula = die Formel;
        poem = das Gedicht; text = der Text; essay = der Aufsatz; quotation = das Zitat; timetable = der
        Stundenplan; sum = die Rechenaufgabe; summary = die Zusammenfassung""",
    "reference": """
        dictionary = das Wörterbuch; encyclopedia = das Lexikon; textbook = das Lehrbuch; reference book = das
        Nachschlagewerk; grammar = die Grammatik; guidebook = der Reiseführer; manual = das Handbuch; primer =
        die Fibel; atlas = der Atlas; app = die App""",
    "looked up": """
        word = das Wort; term = der Begriff; expression = der Ausdruck; rule = die Regel; abbreviation = die
        Abkürzung; spelling = die Schreibweise; proverb = das Sprichwort; name = der Name Namen; formula = die
        Formel; place name = der Ortsname Ortsnamen; foreign word = das Fremdwort""",
    "writing board": """
        blackboard = die Tafel; slate = die Schiefertafel; whiteboard = das Whiteboard; slip = der Zettel;
        notepad = der Notizblock; wall = die Wand; label = das Etikett; index card = die Karteikarte; paper bag
        = die Papiertüte; sheet of paper = das Blatt; panel = die Holztafel""",
    "figure": """
        circle = der Kreis; triangle = das Dreieck; map = die Karte; portrait = das Porträt; pattern = das
        Muster; curve = die Kurve; floor plan = der Grundriss; caricature = die Karikatur; horse's head = der
        Pferdekopf; rectangle = das Rechteck; line = die Linie""",
    "eraser": """
        rubber = der Radiergummi; sponge = der Schwamm; cloth = das Tuch; eraser pen = der Radierstift;
        correction fluid = die Korrekturflüssigkeit; scraper = das Schabmesser""",
    "drawing pen": """
        pencil = der Bleistift; fountain pen = der Füller; chalk = die Kreide; crayon = der Buntstift; felt-tip
        pen = der Filzstift; quill = die Feder; marker = der Marker; drawing pen = das Zeichengerät; pen = der
        Kugelschreiber; charcoal = die Zeichenkohle""",
    "payable": """
        jacket = die Jacke; meal = das Essen; bicycle = das Fahrrad; coffee = der Kaffee; ring = der Ring; lamp
        = die Lampe; ticket = die Fahrkarte; trip = der Ausflug; car = das Auto; carpet = der Teppich; hotel
        room = das Hotelzimmer; wristwatch = die Armbanduhr; flight = der Flug""",
    "money": """
        coin = die Münze; banknote = der Geldschein; credit card = die Kreditkarte; voucher = der Gutschein;
        cheque = der Scheck; token = die Wertmarke; ticket = die Fahrkarte; gift card = die Geschenkkarte;
        student card = der Studentenausweis; customer card = die Kundenkarte; identity card = der Ausweis;
        five-cent piece = das Fünfcentstück; cash = das Bargeld""",
    "slot machine": """
        vending machine = der Automat; cash machine = der Geldautomat; till = die Kasse; parking meter = die
        Parkuhr; turnstile = das Drehkreuz; washing machine = die Waschmaschine; ticket machine = der
        Fahrkartenautomat; coffee machine = die Kaffeemaschine; jukebox = die Musikbox; reading device = das
        Lesegerät""",
    "article": """
        melon = die Melone; pumpkin = der Kürbis; cheese = der Käse; ham = der Schinken; turkey = die Pute;
        bread = das Brot; toy = das Spielzeug; bouquet = der Blumenstrauß; fish = der Fisch; cushion = das
        Kissen; flowerpot = der Blumentopf; salad = der Salat; pan = die Pfanne""",
    "shopping bag": """
        shopping bag = die Einkaufstasche; carrier bag = die Tragetasche; basket = der Korb; string bag = das
        Einkaufsnetz; plastic bag = der Plastikbeutel; paper bag = die Papiertüte; cardboard box = der Karton;
        sack = der Sack""",
    "ware": """
        dress = das Kleid; coat = der Mantel; lamp = die Lampe; sofa = das Sofa; carpet = der Teppich; vase =
        die Vase; clock = die Uhr; hat = der Hut; mirror = der Spiegel; tea set = das Teeservice; tablecloth =
        die Tischdecke; curtain = der Vorhang; bedspread = der Bettüberwurf; chest of drawers = die Kommode""",
    "treasure": """
        necklace = die Kette; painting = das Gemälde; crown = die Krone; diamond = der Diamant Diamanten; vase =
        die Vase; passport = der Pass; manuscript = das Manuskript; stamp collection = die Briefmarkensammlung;
        will = das Testament; gold bar = der Goldbarren; pearl = die Perle; sceptre = das Zepter; trophy = der
        Pokal; violin = die Geige""",
    "strongroom": """
        safe = der Safe; vault = der Tresorraum; chest = die Truhe; cabinet = der Schrank; strongbox = die
        Geldkassette; fortress = die Festung; museum = das Museum; locker = das Schließfach; hiding place = das
        Versteck; bank = die Bank; archive = das Archiv""",
    "trumpet": """
        trumpet = die Trompete; drum kit = das Schlagzeug; tuba = die Tuba; gong = der Gong; trombone = die
        Posaune; organ = die Orgel; horn = das Horn; dulcimer = das Hackbrett; loudspeaker = der Lautsprecher;
        saxophone = das Saxofon; kettledrum = die Pauke""",
    "harp": """
        harp = die Harfe; cello = das Cello; double bass = der Kontrabass; recorder = die Blockflöte; viola =
        die Bratsche; guitar = die Gitarre; zither = die Zither; singing bowl = die Klangschale; music box = die
        Spieluhr; lute = die Laute; clavichord = das Clavichord; xylophone = das Xylofon; children's choir = der
        Kinderchor""",
    "playable": """
        clarinet = die Klarinette; grand piano = der Flügel; mouth organ = die Mundharmonika; accordion = das
        Akkordeon; organ = die Orgel; piano = das Klavier; bassoon = das Fagott; spinet = das Spinett; double
        bass = der Kontrabass; ukulele = die Ukulele; alphorn = das Alphorn; dulcimer = das Hackbrett;
        synthesizer = der Synthesizer; banjo = das Banjo""",
    "piece of music": """
        sonata = die Sonate; piece of music = das Musikstück; waltz = der Walzer; march = der Marsch; melody =
        die Melodie; symphony = die Sinfonie; folk song = das Volkslied; canon = der Kanon; tango = der Tango;
        prelude = das Präludium; hymn = die Hymne; hit = der Schlager; Christmas carol = das Weihnachtslied""",
    "music case": """
        hard case = der Hartkoffer; bag = die Tasche; instrument case = das Etui; cupboard = der Schrank; chest
        = die Truhe; sack = der Sack; compartment = das Fach""",
    "recorder": """
        tape recorder = das Tonbandgerät; microphone = das Mikrofon; camera = die Kamera; mobile phone = das
        Handy; dictaphone = das Diktiergerät; video recorder = der Videorekorder; cassette recorder = der
        Kassettenrekorder; computer = der Computer""",
    "choir": """
        choir = der Chor; band = die Band; orchestra = das Orchester; church choir = der Kirchenchor; vocal
        ensemble = das Gesangsensemble; singing group = die Gesangsgruppe""",
    "noise": """
        alarm = der Alarm; siren = die Sirene; music = die Musik; noise = der Lärm; shouting = das Geschrei; car
        horn = die Hupe; ringing = das Klingeln; scream = der Schrei; barking = das Gebell; whistle = der Pfiff""",
    "thin wall": """
        wall = die Wand; door = die Tür; ceiling = die Decke; window = das Fenster; curtain = der Vorhang; tent
        wall = die Zeltwand; floor = der Boden; roof = das Dach; partition = die Trennwand; folding screen = der
        Wandschirm""",
    "strong team": """
        club = der Verein; national side = die Nationalmannschaft; women's team = das Frauenteam; school team =
        die Schulmannschaft; football club = der Fußballverein; racing team = der Rennstall; top team = das
        Spitzenteam; handball club = der Handballverein""",
    "other team": """
        visiting team = das Gästeteam; neighbouring club = der Nachbarverein; village side = die Dorfmannschaft;
        junior squad = der Nachwuchskader; company team = das Firmenteam; second side = die Reservemannschaft;
        hockey club = der Hockeyverein""",
    "rolling ball": """
        football = der Fußball; tennis ball = der Tennisball; puck = der Puck; marble = die Murmel; bowling ball
        = die Bowlingkugel; wheel = das Rad; toy car = das Spielzeugauto; golf ball = der Golfball; tyre = der
        Reifen; coin = die Münze""",
    "target hole": """
        hole = das Loch; goal = das Tor; gap = die Lücke; drain = der Abfluss; gully = die Rinne; tunnel = der
        Tunnel; basket = der Korb; opening = die Öffnung; mousehole = das Mauseloch""",
    "flying thing": """
        ball = der Ball; shuttlecock = der Federball; frisbee = die Frisbee; balloon = der Luftballon; arrow =
        der Pfeil; kite = der Drachen; volleyball = der Volleyball; spear = der Speer; boomerang = der Bumerang;
        beach ball = der Wasserball; rocket = die Rakete; ping-pong ball = das Bällchen; model aeroplane = das
        Modellflugzeug""",
    "low fence": """
        fence = der Zaun; goal = das Tor; hedge = die Hecke; wall = die Mauer; net = das Netz; bush = der Busch;
        barrier = die Schranke; railing = das Geländer; grandstand = die Tribüne; hut = die Hütte""",
    "heavy ball": """
        medicine ball = der Medizinball; stone = der Stein; discus = die Diskusscheibe; hammer = der Hammer;
        rope = das Seil; suitcase = der Koffer; iron ball = die Eisenkugel; backpack = der Rucksack; lifebelt =
        der Rettungsring; oar = das Ruder; tyre = der Reifen; bag = die Tasche""",
    "target": """
        target = das Ziel; disc = die Scheibe; bottle = die Flasche; tin = die Dose; post = der Pfosten; balloon
        = der Luftballon; basket = der Korb; rat = die Ratte; scarecrow = die Vogelscheuche; goalpost = der
        Torpfosten; light = das Licht; drone = die Drohne""",
    "projectile": """
        arrow = der Pfeil; stone = der Stein; spear = der Speer; snowball = der Schneeball; hockey stick = der
        Schläger; ball = der Ball; nut = die Nuss; bullet = die Kugel; boomerang = der Bumerang; horseshoe = das
        Hufeisen; stick = der Stock; lance = die Lanze; dart = der Wurfpfeil""",
    "headgear": """
        helmet = der Helm; hood = die Kapuze; cap = die Mütze; hat = der Hut; bathing cap = die Badekappe;
        headset = das Headset; crown = die Krone; tiara = das Diadem""",
    "worn under": """
        scarf = der Schal; woolly hat = die Wollmütze; headscarf = das Kopftuch; hairband = das Haarband; wig =
        die Perücke; sweater = der Pulli; bandage = der Verband; plait = der Zopf; turban = der Turban; hairdo =
        die Frisur""",
    "sports gear": """
        boat = das Boot; surfboard = das Surfbrett; trampoline = das Trampolin; canoe = das Kanu; goal = das
        Tor; mat = die Matte; sledge = der Schlitten; vaulting horse = der Bock; net = das Netz; ski bag = der
        Skisack; balance beam = der Schwebebalken; table-tennis table = die Tischtennisplatte""",
    "sports place": """
        beach = der Strand; lake = der See; gymnasium = die Turnhalle; pitch = das Spielfeld; ski run = die
        Piste; swimming pool = das Schwimmbad; stadium = das Stadion; club house = das Vereinsheim; race track =
        die Rennstrecke; sports ground = der Sportplatz; tennis court = der Tennisplatz; meadow = die Wiese""",
    "mail": """
        parcel = das Paket; letter = der Brief; envelope = der Umschlag; magazine = die Zeitschrift; packet =
        das Päckchen; newspaper = die Zeitung; catalogue = der Katalog; calendar = der Kalender; book = das
        Buch; postcard = die Postkarte; delivery = die Lieferung""",
    "letterbox": """
        letterbox = der Briefkasten; slot = der Schlitz; grating = das Gitter; flap = die Klappe; door slot =
        der Türschlitz; opening = die Öffnung""",
    "application": """
        job application = die Bewerbung; letter = der Brief; form = das Formular; order = die Bestellung;
        complaint = die Beschwerde; novel = der Roman; manuscript = das Manuskript; questionnaire = der
        Fragebogen; offer = das Angebot; poem = das Gedicht; draft = der Entwurf; reply = die Antwort""",
    "institution": """
        bank = die Bank; company = die Firma; office = das Amt; newspaper = die Zeitung; publisher = der Verlag;
        insurance company = die Versicherung; ministry = das Ministerium; court = das Gericht; charity = der
        Wohltätigkeitsverein; embassy = die Botschaft; agency = die Agentur; university = die Universität""",
    "sticker": """
        stamp = die Briefmarke; sticker = der Aufkleber; label = das Etikett; seal = das Siegel; price tag = das
        Preisschild; photo = das Foto; slip = der Zettel; postage mark = die Wertmarke; sticking plaster = das
        Pflaster""",
    "stuck on": """
        envelope = der Umschlag; bottle = die Flasche; parcel = das Paket; door = die Tür; folder = der Ordner;
        card = die Karte; tin = die Dose; window = das Fenster; suitcase = der Koffer; helmet = der Helm; crate
        = die Kiste""",
    "gift": """
        present = das Geschenk; vase = die Vase; teapot = die Teekanne; ball = der Ball; drum = die Trommel;
        globe = der Globus; rocking horse = das Schaukelpferd; lamp = die Lampe; guitar = die Gitarre; parcel =
        das Paket; kettle = der Kessel; telescope = das Fernrohr""",
    "wrapping": """
        paper = das Papier; cloth = das Tuch; newspaper = die Zeitung; foil = die Folie; sheet = das Laken;
        blanket = die Decke; sack = der Sack; wallpaper = die Tapete; scarf = der Schal; wrapping paper = das
        Geschenkpapier""",
    "string": """
        cord = die Schnur; rope = das Seil; thread = der Faden; ribbon = das Seidenband; wire = der Draht; belt
        = der Gürtel; strap = der Riemen; chain = die Kette; twine = der Bindfaden; washing line = die
        Wäscheleine""",
    "bundle": """
        parcel = das Paket; sack = der Sack; bundle = das Bündel; box = die Schachtel; packet = das Päckchen;
        suitcase = der Koffer; bale of straw = der Strohballen; stack of paper = der Papierstapel; roll of cloth
        = die Stoffrolle; mattress = die Matratze; tent = das Zelt""",
    "lock": """
        lock = das Schloss; door = die Tür; gate = das Tor; safe = der Safe; chest = die Truhe; handcuff = die
        Handschelle; padlock = das Vorhängeschloss; cupboard = der Schrank; barrier = die Schranke; suitcase =
        der Koffer""",
    "opener": """
        key = der Schlüssel; card = die Karte; wire = der Draht; crowbar = das Brecheisen; hairpin = die
        Haarnadel; knife = das Messer; lever = der Hebel""",
    "old device": """
        typewriter = die Schreibmaschine; record player = der Plattenspieler; cassette recorder = der
        Kassettenrekorder; telegraph = der Telegraf Telegrafen; fax machine = das Faxgerät; telephone = das
        Telefon; abacus = das Rechenbrett; film camera = die Filmkamera; slide projector = der Diaprojektor""",
    "modern device": """
        laptop = der Laptop; smartphone = das Smartphone; e-reader = das Lesegerät; machine = die Maschine;
        computer = der Computer; app = die App; system = das System; printer = der Drucker; webcam = die Webcam;
        scanner = der Scanner""",
    "locked bike": """
        racing bike = das Rennrad; motor scooter = der Motorroller; e-bike = das E-Bike; bicycle = das Fahrrad;
        canoe = das Kanu; handcart = der Handwagen; dinghy = die Jolle; dog = der Hund; goat = die Ziege""",
    "anchor": """
        lamp post = der Laternenpfahl; railing = das Geländer; tree = der Baum; fence = der Zaun; gate = das
        Tor; pillar = die Säule; bench = die Bank; post = der Pfosten; wall = die Mauer""",
    "barricade": """
        barrier = die Schranke; fence = der Zaun; gate = das Tor; hedge = die Hecke; net = das Netz; beam = der
        Balken; crash barrier = die Leitplanke; rope = das Seil; dam = der Damm""",
    "sharp thing": """
        nail = der Nagel; knife = das Messer; needle = die Nadel; ring = der Ring; shard = die Scherbe;
        screwdriver = der Schraubenzieher; branch = der Ast; tool = das Werkzeug; claw = die Kralle; edge = die
        Kante""",
    "delicate surface": """
        car = das Auto; table = der Tisch; door = die Tür; screen = der Bildschirm; floor = der Boden; record =
        die Schallplatte; lens = die Linse; piano = das Klavier; display = das Display; bonnet = die Motorhaube;
        parquet floor = das Parkett""",
    "sliding thing": """
        book = das Buch; plate = der Teller; laptop = der Laptop; tray = das Tablett; folder = der Ordner;
        mobile phone = das Handy; bowl = die Schüssel; soap = die Seife; glass = das Glas; fish = der Fisch;
        vase = die Vase""",
    "sloping surface": """
        desk = der Schreibtisch; lectern = das Pult; roof = das Dach; shelf = das Regal; cupboard = der Schrank;
        ramp = die Rampe; bonnet = die Motorhaube; window sill = das Fensterbrett; tabletop = die Tischplatte;
        lid = der Deckel; bench = die Bank""",
    "loud place": """
        motorway = die Autobahn; airport = der Flughafen; factory = die Fabrik; railway = die Eisenbahn; power
        station = das Kraftwerk; stadium = das Stadion; quarry = der Steinbruch; harbour = der Hafen; shooting
        range = der Schießstand; sawmill = das Sägewerk; rubbish dump = die Müllkippe""",
    "new building": """
        hospital = das Krankenhaus; hotel = das Hotel; nursery school = der Kindergarten; villa = die Villa;
        school = die Schule; block of flats = der Wohnblock; library = die Bibliothek; old people's home = das
        Altersheim; town hall = das Rathaus; clinic = die Klinik; guest house = die Pension""",
    "household machine": """
        freezer = die Gefriertruhe; piano = das Klavier; printing press = die Druckerpresse; loom = der
        Webstuhl; copier = der Kopierer; washing machine = die Waschmaschine; billiard table = der Billardtisch;
        lathe = die Drehbank; bookcase = das Bücherregal; filing cabinet = der Aktenschrank; fridge = der
        Kühlschrank; server = der Server; organ = die Orgel; bunk bed = das Etagenbett""",
    "lift": """
        lift = der Aufzug; goods lift = der Lastenaufzug; corridor = der Flur; cabin = die Kabine; doorway = die
        Türöffnung; garage = die Garage; tent = das Zelt; cellar = der Keller; train compartment = das Abteil""",
    "wheeled": """
        pram = der Kinderwagen; hospital bed = das Krankenbett; wheelchair = der Rollstuhl; shopping trolley =
        der Einkaufswagen; handcart = der Handwagen; tea trolley = der Teewagen; piano = das Klavier; bicycle =
        das Fahrrad; clothes rack = der Kleiderständer; motorbike = das Motorrad; pushcart = die Schubkarre""",
    "screen b": """
        cinema screen = die Leinwand; monitor = der Monitor; sheet = das Laken; tablet = das Tablet; wall = die
        Wand; display = das Display""",
    "celebration": """
        wedding = die Hochzeit; birthday = der Geburtstag; summer party = das Sommerfest; carnival = der
        Karneval; anniversary = das Jubiläum; christening = die Taufe; farewell = der Abschied; victory = der
        Sieg; harvest festival = das Erntedankfest; housewarming = die Einweihung""",
    "party place": """
        restaurant = das Restaurant; inn = der Gasthof; barn = die Scheune; garden = der Garten; flat = die
        Wohnung; marquee = das Festzelt; hall = der Saal; pub = die Kneipe; castle = das Schloss; club house =
        das Vereinsheim; beer garden = der Biergarten""",
    "shown film": """
        film = der Film; series = die Serie; video = das Video; documentary = die Dokumentation; play = das
        Theaterstück; comedy = die Komödie; ballet = das Ballett; opera = die Oper; thriller = der Krimi;
        western = der Western; musical = das Musical""",
    "cinema": """
        cinema = das Kino; theatre = das Theater; opera house = das Opernhaus; arena = die Arena; hall = der
        Saal; tent = das Zelt; nightclub = der Nachtklub; living room = das Wohnzimmer; pub = die Kneipe""",
    "far place": """
        island = die Insel; village = das Dorf; fortress = die Festung; monastery = das Kloster; farm = der
        Bauernhof; lighthouse = der Leuchtturm; mountain hut = die Berghütte; airport = der Flughafen; oasis =
        die Oase; waterfall = der Wasserfall; camp = das Lager""",
    "rescuer": """
        lifeboat = das Rettungsboot; tugboat = das Schleppboot; coastguard ship = das Küstenwachschiff; steamer
        = der Dampfer; motorboat = das Motorboot; fishing cutter = der Fischkutter; sea rescue cruiser = der
        Seenotrettungskreuzer; launch = die Barkasse""",
    "in distress": """
        yacht = die Jacht; dinghy = die Jolle; sailing boat = das Segelboot; raft = das Floß; freighter = der
        Frachter; gondola = die Gondel; kayak = der Kajak; car ferry = die Autofähre""",
    "waiting place": """
        waiting room = das Wartezimmer; station hall = die Bahnhofshalle; café = das Café; bus shelter = das
        Wartehäuschen; lobby = die Lobby; restaurant = das Restaurant; shop = der Laden; bakery = die Bäckerei;
        pub = die Kneipe; entrance = der Eingang""",
    "awaited": """
        train = der Zug; bus = der Bus; taxi = das Taxi; ferry = die Fähre; ambulance = der Krankenwagen; parcel
        = das Paket; tram = die Straßenbahn; ship = das Schiff; fire brigade = die Feuerwehr; flight = der Flug;
        delivery = die Lieferung""",
    "hiding screen": """
        curtain = der Vorhang; hedge = die Hecke; wall = die Mauer; bush = der Busch; cupboard = der Schrank;
        folding screen = der Wandschirm; shelf = das Regal; tapestry = der Wandteppich; fence = der Zaun;
        woodpile = der Holzstapel; sofa = das Sofa""",
    "post box": """
        letterbox = der Briefkasten; pigeonhole = das Postfach; mailbag = der Postsack; crate = die Kiste;
        parcel locker = die Packstation; collecting box = der Sammelbehälter""",
    "packaging": """
        box = die Schachtel; carton = der Karton; envelope = der Umschlag; padded envelope = die Versandtasche;
        mailing tube = die Papprolle; parcel = das Paket; crate = die Kiste""",
    "printer": """
        printer = der Drucker; printing press = die Druckerpresse; multifunction device = das
        Multifunktionsgerät; laser printer = der Laserdrucker; typewriter = die Schreibmaschine""",
    "scanner": """
        scanner = der Scanner; camera = die Kamera; reading device = das Lesegerät; copier = der Kopierer""",
}

# ─── 3 Adjectives ────────────────────────────────────────────────────────────────────────────────────────────────────
ADJECTIVES = """
    delayed = verspätet!; late = zu spät!; punctual = pünktlich; unpunctual = unpünktlich; overloaded = überladen!;
    already full = schon voll!; overcrowded = überfüllt!; blocked = blockiert!; flooded = überschwemmt!; foggy = neblig;
    stormy = stürmisch; bumpy = holprig; winding = kurvig; sandy = sandig; deserted = menschenleer!; noisy = laut;
    huge = riesig!; tiny = winzig!; gigantic = gewaltig!; bulky = sperrig; unwieldy = unhandlich; massive = massiv;
    handy = handlich; uneven = uneben; crooked = krumm; cracked = gesprungen!; leaky = undicht; brittle = spröde;
    decayed = morsch; dilapidated = baufällig; worn = abgenutzt; sold out = ausverkauft!; overpriced = überteuert!;
    occupied = besetzt!; reserved = reserviert!; expired = abgelaufen!; invalid = ungültig!; forged =
    gefälscht!; stolen = gestohlen!; illegible = unleserlich; blurred = unscharf; confidential = vertraulich; secret =
    geheim!; detailed = ausführlich; outdated = veraltet!; faulty = fehlerhaft; damaged = beschädigt!; defective =
    defekt!; dusty = staubig; sticky = klebrig; oily = ölig; greasy = schmierig; overheated = überhitzt!; glaring =
    grell; dim = trüb; gloomy = düster; switched off = ausgeschaltet!; guarded = bewacht!; unguarded = unbewacht!;
    fireproof = feuerfest!; shrill = schrill; deafening = ohrenbetäubend!; hoarse = heiser; talented = begabt;
    experienced = erfahren; inexperienced = unerfahren; unbeaten = ungeschlagen!; popular = beliebt; unpopular =
    unbeliebt; elastic = elastisch; tight = eng; spacious = geräumig; untidy = unordentlich; draughty = zugig; heated =
    geheizt!; unheated = ungeheizt!; remote = abgelegen; far away = weit weg!; distant = weit entfernt!; invisible =
    unsichtbar!; encrypted = verschlüsselt!; reliable = zuverlässig; unreliable = unzuverlässig; powerful =
    leistungsstark; inaccurate = ungenau; pointed = spitz; frayed = ausgefranst!; tangled = verheddert!; freshly painted
    = frisch gestrichen!; unlit = unbeleuchtet!; nimble = wendig; dangerous = gefährlich; out of tune = verstimmt!;
    crumbly = bröckelig; hidden = versteckt!; transparent = durchsichtig; already charged = schon
    geladen!; write-protected = schreibgeschützt!; suspicious = verdächtig; crumpled = zerknittert!; foreign =
    ausländisch!; unstamped = unfrankiert!; unfinished = unfertig!; delicate = empfindlich; sturdy = stabil; cancelled =
    abgesagt!; already booked = schon ausgebucht!; already sunk = schon gesunken!; gentle =
    sanft; trained = trainiert!; smudged = verschmiert!; unlocked = unverschlossen!; burst = geplatzt!; hollow = hohl!;
    unplugged = ausgesteckt!; scratchy = kratzig; out of order = außer Betrieb!; overturned = umgekippt!;
    cluttered = vollgestellt!; stuck = festgefahren!; insignificant =
    unbedeutend; weatherproof = wetterfest!
"""

# ─── 4 Events ────────────────────────────────────────────────────────────────────────────────────────────────────────
EVENTS: list[tuple[str, ...]] = [
    # traffic and travel
    ("A", "fit under B = passen - unter B4", "not", "big vehicle: high, large, huge, tall", "low way: low"),
    ("A", "fit into B = passen - in B4", "not", "big vehicle: long, wide, large, huge",
     "parking place: narrow, small, tight, already full"),
    ("A", "turn into B = ein|biegen - in B4", "not", "big vehicle: long, wide, unwieldy",
     "small street: narrow, blocked, closed, flooded, steep"),
    ("A", "overtake B = überholen B4 -", "not", "bike: slow, old, rusty; motor: slow, overloaded, damaged",
     "big vehicle: fast, wide, long"),
    ("A", "stop at B = halten - an B3", "not", "rail: delayed, overcrowded, already full",
     "stop: closed, insignificant, deserted, flooded"),
    ("A", "block B = blockieren B4", "did", "big vehicle: long, broken, damaged, overturned",
     "crossing place: narrow, small, tight"),
    ("S", "drive A through B = fahren2 A4 - durch B4", "not", "big vehicle: wide, long, huge, unwieldy",
     "small street: narrow, blocked, flooded, winding, closed"),
    ("S", "park A in B = parken A4 - in B3", "not", "big vehicle: long, wide, bulky, huge",
     "parking place: narrow, occupied, tight, reserved, locked"),
    ("S", "push A up B = hinauf|schieben A4 - B4", "not", "bike: heavy, overloaded, broken",
     "slope way: steep, slippery, icy, muddy, sandy"),
    ("S", "ride A on B = fahren - mit A3 auf B3", "not", "bike: broken, rusty, wobbly, damaged",
     "small street: bumpy, sandy, icy, muddy, busy"),
    ("A", "crash into B = prallen gegen B4", "did", "motor: fast; bike: fast, wobbly, unstable",
     "post or pole: unlit, invisible, low, transparent"),
    ("A", "swerve around B = aus|weichen B3", "did", "bike: nimble, light; motor: nimble",
     "road hazard: deep, dangerous, wide, huge"),
    ("S", "prefer A to B = vor|ziehen B3 A4", "did", "rail: fast, comfortable, punctual, modern, spacious",
     "road transport: slow, uncomfortable, unpunctual, overcrowded, unreliable"),
    ("A", "cross B = überqueren B4 -", "not", "small boat: small, leaky, damaged, overloaded, slow",
     "wide water: wide, stormy, frozen, rough, foggy"),
    ("A", "leave B = verlassen B4 -", "not", "big ship: damaged, overloaded, leaky, defective",
     "port: frozen, blocked, foggy, shallow"),
    ("A", "land on B = landen - auf B3", "not", "aircraft: heavy, fast, large, overloaded",
     "landing place: icy, flooded, bumpy, muddy, uneven"),
    ("A", "fly over B = fliegen - über B4", "not", "aircraft: heavy, weak, damaged, slow, overloaded",
     "peak: high, stormy, foggy, icy"),
    ("A", "transport B = transportieren B4 -", "not", "cart: small, weak, already full, defective, occupied",
     "freight: heavy, bulky, large, dangerous"),
    ("A", "tow B = ab|schleppen B4 -", "not", "tower truck: weak, small, far away, slow",
     "wreck: heavy, large, stuck, huge, overloaded"),
    ("S", "load A into B = laden A4 - in B4", "not", "luggage: bulky, long, wet, unwieldy, muddy",
     "cart: already full, overloaded, tiny"),
    ("S", "put A on B = legen A4 - auf B4", "not", "luggage: heavy, bulky, wet, fragile",
     "luggage place: already full, narrow, high, occupied, wobbly"),
    ("S", "take A on B = mit|nehmen A4 - in B4", "not", "luggage: bulky, wet, long, unwieldy, heavy",
     "rail: overcrowded, crowded, already full"),
    ("S", "ride down B on A = hinunter|fahren B4 - auf A3", "not", "rider board: broken, wobbly, old, rusty, cracked",
     "slope way: steep, icy, bumpy, dangerous, muddy"),
    ("S", "reach A with B = erreichen A4 - mit B3", "not", "far place: remote, far away, distant",
     "road transport: slow, late, delayed, out of order"),
    ("S", "wait for A in B = warten auf A4 in B3", "did", "awaited: delayed, late, unpunctual, slow",
     "waiting place: warm, heated, cosy, dry, quiet"),
    ("A", "rescue B = retten B4 -", "not", "rescuer: slow, far away, weak", "in distress: already sunk"),
    ("A", "damage B = beschädigen B4", "did", "big vehicle: heavy, fast, overloaded",
     "post or pole: fragile, delicate, thin"),
    ("S", "drive A into B = fahren2 A4 - in B4", "not", "big vehicle: wide, high, huge, bulky",
     "parking place: narrow, low, locked, already full, cluttered"),
    ("A", "pull B up the hill = ziehen B4 - den Hügel hinauf", "not", "tower truck: weak, old, small",
     "freight: heavy, massive, gigantic"),
    ("S", "cross B in A = überqueren B4 - mit A3", "not", "small boat: leaky, damaged, small, overloaded, cracked",
     "wide water: wide, stormy, rough, frozen, foggy"),
    ("A", "pass through B = fahren - durch B4", "not", "big ship: wide, long, huge, large",
     "port: narrow, shallow, blocked, frozen, closed"),
    ("A", "sail past B = vorbei|fahren an B3", "did", "big ship: delayed, unpunctual",
     "port: closed, insignificant, blocked"),
    ("S", "chain A to B = ketten A4 an B4", "did", "locked bike: valuable, new, expensive",
     "anchor: sturdy, massive, strong"),
    ("A", "stop B = stoppen B4 -", "not", "barricade: low, weak, thin, decayed", "motor: fast, heavy; "
     "big vehicle: fast, heavy, strong"),
    # town, buildings
    ("A", "tower over B = überragen B4", "did", "tall building: high, tall, huge, gigantic",
     "low building: low, small, tiny"),
    ("A", "hide B = verdecken B4", "did", "tall building: high, wide, huge, massive", "low building: low, small, tiny"),
    ("S", "build A next to B = bauen A4 - neben B4", "not", "new building: large, high, expensive, elegant",
     "loud place: loud, noisy, dirty, dangerous"),
    ("S", "like A better than B = mögen A4 lieber als B4", "did",
     "new building: modern, spacious, quiet, comfortable, beautiful", "place in town: noisy, dilapidated, dirty, ugly"),
    ("A", "take place in B = statt|finden - in B3", "not", "show: cancelled, unpopular, expensive, dangerous",
     "event hall: closed, small, flooded, dilapidated, unheated"),
    ("A", "fill B = füllen B4 -", "not", "show: boring, unknown, unpopular",
     "event hall: large, huge, remote, gigantic"),
    ("S", "celebrate A in B = feiern A4 - in B3", "not", "celebration: cancelled, insignificant, unpopular",
     "party place: small, closed, stuffy, already booked, tight"),
    ("S", "watch A in B = an|sehen A4 - in B3", "not", "shown film: boring, long, sad, cancelled, unknown",
     "cinema: stuffy, uncomfortable, overcrowded, sold out, cold"),
    ("S", "put A into B = stellen A4 - in B4", "not", "household machine: bulky, heavy, high, wide, loud",
     "room: damp, low, narrow, draughty, cluttered"),
    ("S", "push A into B = schieben A4 - in B4", "not", "wheeled: wide, bulky, overloaded, high, heavy",
     "lift: narrow, already full, low, occupied, locked"),
    ("A", "reach B = erreichen B4 -", "not", "reacher: short", "distant part: high, far away, distant"),
    # light, electricity
    ("A", "light B up = beleuchten B4 -", "not", "light: weak, dim, broken, switched off, tiny",
     "event hall: large, huge, high, wide, gigantic; room: large, long, huge, high"),
    ("A", "brighten B = erhellen B4", "did", "light: bright, glaring, powerful, strong", "room: dark, gloomy"),
    ("A", "attract B = an|locken B4", "did", "light: bright, glaring, colourful, warm", "insect: curious, hungry"),
    ("S", "plug A into B = stecken A4 - in B4", "not", "plug: bent, thick, big, large",
     "socket: loose, occupied, narrow, dusty"),
    ("S", "charge A with B = auf|laden A4 - mit B3", "not", "chargeable: already charged, switched off, overheated",
     "cable: short, torn, frayed, tangled"),
    ("S", "connect A to B = verbinden A4 - mit B3", "not", "recorder: old-fashioned, outdated, defective, switched off",
     "cable: short, torn, frayed, tangled"),
    ("A", "drive B = an|treiben B4 -", "not", "power source: weak, empty, tiny",
     "powered: heavy, large, huge, jammed, overloaded"),
    ("A", "warm B = erwärmen B4 -", "not", "heater: weak, broken, switched off, tiny, defective",
     "room: large, high, draughty, huge; event hall: large, draughty, huge"),
    ("S", "heat A with B = heizen A4 - mit B3", "not", "room: large, draughty, high, huge, damp",
     "heater: weak, defective, expensive, dirty, dangerous"),
    ("A", "cool B = kühlen B4 -", "not", "cooler: weak, defective, small, switched off, tiny",
     "room: hot, large, huge, overcrowded"),
    ("S", "read A under B = lesen A4 - unter B3", "not", "document: illegible, blurred, boring, long, smudged",
     "light: dim, broken, weak, switched off"),
    ("S", "hang A in B = hängen A4 - in B4", "not", "light: glaring, heavy, ugly, bright",
     "room: low, damp, narrow, dusty"),
    # building, tools
    ("A", "collapse under B = zusammen|brechen unter B3", "did", "support: weak, thin, decayed, old, cracked",
     "weight: heavy, massive"),
    ("A", "support B = tragen B4 -", "not", "support: thin, weak, decayed, cracked, brittle",
     "weight: heavy, massive, huge, gigantic"),
    ("A", "crush B = zerquetschen B4", "did", "weight: heavy, massive, huge",
     "crushable: thin, fragile, soft, delicate"),
    ("S", "saw A up with B = zersägen A4 - mit B3", "not", "building material: hard, thick, massive",
     "saw: blunt, rusty, bent, worn"),
    ("S", "drill through A with B = durchbohren A4 - mit B3", "not", "wall: hard, thick, massive",
     "drill: weak, blunt, worn, defective"),
    ("S", "hammer A into B = schlagen A4 - in B4", "not", "nail: bent, blunt, thick, crooked",
     "wall: hard, massive, crumbly"),
    ("S", "glue A to B = kleben A4 - an B4", "not", "poster: heavy, torn, large, crumpled",
     "wall: damp, greasy, uneven, freshly painted, oily"),
    ("S", "fix A to B = befestigen A4 - an B3", "not", "decoration: heavy, large, valuable",
     "wall: thin, crumbly, decayed, damp, hollow"),
    ("S", "measure A with B = messen A4 - mit B3", "not", "building material: long, large, huge",
     "measure: short, inaccurate, torn, worn"),
    ("S", "lift A with B = heben A4 - mit B3", "not", "weight: heavy, massive, bulky",
     "hoist: weak, defective, jammed, out of order"),
    ("S", "transport A in B = transportieren A4 - in B3", "not", "freight: bulky, large, dangerous, heavy",
     "cart: already full, small, broken, narrow"),
    ("S", "pour A into B = gießen A4 - in B4", "not", "liquid: hot, sticky, thick, poisonous",
     "bucket: leaky, cracked, already full, small, rusty"),
    ("A", "flow out of B = fließen - aus B3", "not", "liquid: sticky", "bucket: blocked, closed"),
    ("A", "lift B = heben B4 -", "not", "hoist: weak, small, old, defective", "weight: heavy, massive, huge; "
     "freight: heavy, overloaded"),
    ("S", "sweep A with B = fegen A4 - mit B3", "not", "floor: wet, large, uneven, muddy",
     "broom: worn, soft, short, broken"),
    ("A", "protect B = schützen B4 -", "not", "roofing: thin, torn, leaky, small", "covered: large, long, high, wide"),
    ("S", "cover A with B = zu|decken A4 mit B3", "did", "covered: delicate, new, valuable, wet",
     "roofing: weatherproof, thick, large, dry"),
    ("S", "cover A with B = zu|decken A4 - mit B3", "not", "covered: huge, high, large, long",
     "roofing: torn, small, short, leaky, tiny"),
    ("A", "scratch B = zerkratzen B4", "did", "sharp thing: sharp, pointed",
     "delicate surface: soft, delicate, freshly painted"),
    ("A", "stick to B = kleben - an B3", "not", "poster: heavy, thick, stiff, worn", "wall: wet, greasy, dusty, oily"),
    ("A", "slide off B = rutschen von B3", "did", "sliding thing: heavy",
     "sloping surface: sloping, crooked, wobbly"),
    ("A", "open B = öffnen B4 -", "not", "opener: bent, small, worn, short", "lock: jammed, rusty, icy, blocked"),
    ("S", "open A with B = öffnen A4 - mit B3", "not", "lock: jammed, rusty, icy, blocked",
     "opener: bent, worn, thick"),
    # office, computers
    ("S", "save A on B = speichern A4 - auf B3", "not", "data: large, secret, faulty, huge, suspicious",
     "drive: already full, write-protected, slow, defective, worn"),
    ("S", "open A on B = öffnen A4 - auf B3", "not", "data: encrypted, suspicious, faulty, large, huge",
     "computer: slow, old, outdated, weak"),
    ("S", "install A on B = installieren A4 - auf B3", "not", "software: expensive, complicated, faulty, dangerous",
     "computer: slow, old, weak, already full"),
    ("A", "run on B = laufen - auf B3", "not", "software: faulty, complicated, modern, large",
     "computer: slow, old, weak, already full, outdated"),
    ("S", "print A with B = drucken A4 - mit B3", "not", "document: long, confidential, incomplete, unfinished",
     "printer: jammed, slow, empty, defective, switched off"),
    ("S", "copy A with B = kopieren A4 - mit B3", "not", "document: long, confidential, secret, valuable",
     "office machine: broken, jammed, slow, out of order, unplugged"),
    ("S", "scan A with B = scannen A4 - mit B3", "not", "document: crumpled, illegible, thick, torn",
     "scanner: slow, broken, dusty, unplugged"),
    ("S", "punch A with B = lochen A4 - mit B3", "not", "document: thick, valuable, important, stiff",
     "punch: blunt, jammed, broken, worn"),
    ("S", "destroy A with B = vernichten A4 - mit B3", "not", "document: important, valuable, thick, stiff",
     "shredder: jammed, overheated, out of order, switched off"),
    ("S", "put A into B = stecken A4 - in B4", "not", "document: thick, large, important, wet",
     "folder: already full, narrow, torn, small"),
    ("A", "recognise B = erkennen B4 -", "not", "reader: switched off, outdated, slow, faulty",
     "mark: blurred, illegible, smudged, tiny"),
    ("A", "read B = lesen B4 -", "not", "reader: defective, old, unplugged, dusty",
     "mark: smudged, blurred, illegible, invisible"),
    ("S", "sign A with B = unterschreiben A4 - mit B3", "not", "document: incomplete, wrong, forged, unfair",
     "drawing pen: empty, broken, scratchy, dry, blunt"),
    ("A", "replace B = ersetzen B4", "did", "modern device: modern, cheap, reliable, fast, handy",
     "old device: outdated, broken, slow, worn, old-fashioned"),
    ("S", "trade A in for B = ein|tauschen A4 gegen B4", "did", "old device: outdated, defective, slow, old-fashioned",
     "modern device: modern, handy, reliable, powerful, fast"),
    ("S", "finish A in B = beenden A4 - in B3", "not", "application: difficult, long, complicated",
     "room: noisy, cold, loud, draughty, crowded"),
    ("S", "find A in B = finden A4 - in B3", "not", "small: hidden, tiny", "room: untidy, dark, cluttered, "
     "gloomy, huge"),
    ("S", "send A to B = schicken A4 - an B4", "not", "application: unfinished, illegible, incomplete, unclear",
     "institution: closed, strict, unknown, unreliable"),
    ("A", "reject B = ab|lehnen B4", "did", "institution: strict, cautious, conservative",
     "application: incomplete, illegible, late, faulty, unfinished"),
    # school, books
    ("S", "put A into B = packen A4 - in B4", "not", "schoolbook: large, thick, heavy, wide",
     "schoolbag: already full, small, narrow, torn"),
    ("A", "fit into B = passen - in B4", "not", "schoolbook: large, thick, wide, bulky",
     "schoolbag: already full, small, narrow, tight"),
    ("S", "look A up in B = nach|schlagen A4 in B3", "did", "looked up: unknown, difficult, rare, unclear",
     "reference: reliable, detailed, handy"),
    ("S", "write A on B = schreiben A4 - auf B4", "not", "school text: long, secret, complicated",
     "writing board: wet, dirty, already full, small"),
    ("S", "remove A with B = entfernen A4 - mit B3", "not", "figure: important, beautiful, large",
     "eraser: dry, worn, dirty, hard"),
    ("S", "draw A with B = zeichnen A4 - mit B3", "not", "figure: complicated, difficult, large",
     "drawing pen: blunt, short, broken, empty, dry"),
    ("S", "learn A from B = lernen A4 aus B3", "did", "school text: important, useful",
     "reference: vivid, reliable, detailed, cheap"),
    ("S", "translate A with B = übersetzen A4 - mit B3", "not", "school text: long, difficult, complicated, illegible",
     "reference: outdated, unreliable, old, faulty"),
    ("A", "explain B = erklären B4 -", "not", "reference: outdated, incomplete, thin",
     "looked up: rare, new, unknown, strange"),
    ("A", "contain B = enthalten B4 -", "not", "reference: outdated, incomplete, thin, small",
     "looked up: rare, new, unknown, foreign"),
    # shops, money
    ("S", "pay for A with B = bezahlen A4 - mit B3", "not", "payable: expensive, overpriced",
     "money: invalid, expired, forged, foreign"),
    ("A", "accept B = an|nehmen B4 -", "not", "slot machine: broken, already full, switched off, out of order",
     "money: bent, foreign, forged, crumpled, expired"),
    ("S", "buy A in B = kaufen A4 - in B3", "not", "ware: ugly, sold out, old-fashioned, heavy",
     "shop: closed, far away, overcrowded, remote"),
    ("S", "put A into B = legen A4 - in B4", "not", "article: heavy, bulky, wet",
     "shopping bag: already full, torn, small, thin"),
    ("S", "carry A in B = tragen A4 - in B3", "not", "article: bulky, wet, fragile, unwieldy",
     "shopping bag: already full, torn, thin, small"),
    ("S", "keep A in B = auf|bewahren A4 in B3", "did", "treasure: valuable, rare, fragile, expensive",
     "strongroom: fireproof, guarded, dry, locked, safe"),
    ("S", "steal A from B = stehlen A4 aus B3", "did", "treasure: valuable, famous, rare, expensive",
     "strongroom: unguarded, open, unlocked, dark"),
    ("S", "leave A in B = lassen A4 - in B3", "not", "treasure: valuable, important, fragile, famous",
     "room: damp, unguarded, unlocked"),
    ("S", "lock A in B = ein|schließen A4 in B3", "did", "treasure: valuable, important, rare, expensive",
     "strongroom: fireproof, guarded, sturdy, safe"),
    ("S", "hide A behind B = verstecken A4 hinter B3", "did", "treasure: stolen, valuable; ware: ugly, stolen",
     "hiding screen: thick, dense, wide, high"),
    ("S", "exchange A for B = um|tauschen A4 gegen B4", "did", "ware: ugly, damaged, defective, old-fashioned",
     "ware: cheap, new, modern, elegant"),
    # music
    ("A", "drown out B = übertönen B4", "did", "trumpet: loud, shrill, deafening, powerful", "harp: quiet, gentle"),
    ("S", "play A on B = spielen A4 - auf B3", "not", "piece of music: difficult, complicated, sad, unknown",
     "playable: out of tune, broken, damaged, dusty"),
    ("S", "play A in B = spielen A4 - in B3", "not", "trumpet: loud, shrill, defective, noisy",
     "room: crowded, stuffy, cold, tight"),
    ("S", "sing A in B = singen A4 - in B3", "not", "song: sad, long, difficult, unknown",
     "event hall: stuffy, overcrowded, cold, empty, draughty"),
    ("S", "record A with B = auf|nehmen A4 - mit B3", "not", "piece of music: long, quiet, boring",
     "recorder: defective, switched off, broken, unplugged"),
    ("S", "pack A into B = packen A4 - in B4", "not", "portable instrument: big, long, bulky, large",
     "music case: small, narrow, torn, damp, tight"),
    ("A", "sing B = singen B4 -", "not", "choir: hoarse, inexperienced, tired, exhausted",
     "song: difficult, complicated, sad, long"),
    ("A", "accompany B = begleiten B4 -", "not", "playable: out of tune, damaged, broken",
     "choir: hoarse, inexperienced, exhausted"),
    ("A", "come through B = dringen durch B4", "did", "noise: loud, shrill, deafening", "thin wall: thin"),
    ("A", "play in B = spielen - in B3", "not", "choir: exhausted, inexperienced, unpopular",
     "event hall: small, closed, flooded, already booked, unheated"),
    ("S", "practise A on B = üben A4 auf B3", "did", "piece of music: difficult, complicated, fast, beautiful",
     "playable: new, quiet, valuable"),
    # sport
    ("A", "beat B = schlagen B4", "did", "strong team: strong, experienced, talented, trained",
     "other team: weak, tired, slow, inexperienced, careless"),
    ("A", "lose to B = verlieren gegen B4", "did", "other team: weak, tired, inexperienced, careless, exhausted",
     "strong team: strong, experienced, unbeaten, talented"),
    ("A", "beat B = schlagen B4 -", "not", "other team: weak, tired, slow, inexperienced",
     "strong team: strong, experienced, unbeaten, fast"),
    ("A", "roll into B = rollen - in B4", "not", "rolling ball: slow, large, big",
     "target hole: small, narrow, blocked, "
     "tiny"),
    ("A", "fly over B = fliegen über B4", "did", "flying thing: light, fast", "low fence: low"),
    ("A", "bounce off B = ab|prallen von B3", "did", "flying thing: elastic, light, soft", "anchor: massive, sturdy"),
    ("S", "throw A over B = werfen A4 - über B4", "not", "heavy ball: heavy, bulky, unwieldy, slippery",
     "low fence: high, wide, far away"),
    ("S", "hit A with B = treffen A4 - mit B3", "not", "target: tiny, far away, fast, small, invisible",
     "projectile: crooked, heavy, light, bent"),
    ("S", "shoot A into B = schießen A4 - in B4", "not", "rolling ball: burst, heavy, slippery, wet",
     "target hole: far away, narrow, small"),
    ("S", "wear A over B = tragen A4 - über B3", "not", "headgear: tight, small, narrow",
     "worn under: thick, wet, bulky, "
     "high"),
    ("A", "fit over B = passen - über B4", "not", "headgear: tight, small, narrow, stiff",
     "worn under: thick, big, high, "
     "bulky"),
    ("S", "carry A to B = tragen A4 - zu B3", "not", "sports gear: heavy, bulky, unwieldy, wet",
     "sports place: far away, remote, distant"),
    ("S", "put A on B = stellen A4 - auf B4", "not", "sports gear: heavy, bulky, wet",
     "floor: uneven, icy, slippery, small"),
    # post, phones
    ("A", "fit through B = passen - durch B4", "not", "mail: thick, bulky, large, wide, stiff",
     "letterbox: narrow, small, blocked, jammed"),
    ("S", "push A through B = schieben A4 - durch B4", "not", "mail: thick, bulky, large, stiff",
     "letterbox: narrow, tight, blocked, jammed"),
    ("S", "throw A into B = werfen A4 - in B4", "not", "mail: unstamped, valuable, thick, unfinished",
     "post box: already full, damaged, locked, small"),
    ("S", "stick A onto B = kleben A4 - auf B4", "not", "sticker: torn, invalid, crumpled, large, ugly",
     "stuck on: greasy, dusty, oily, damp"),
    ("S", "wrap A in B = ein|wickeln A4 - in B4", "not", "gift: bulky, large, huge, unwieldy",
     "wrapping: thin, torn, short, crumpled"),
    ("S", "tie A up with B = verschnüren A4 - mit B3", "not", "bundle: bulky, big, large",
     "string: short, tangled, frayed, brittle"),
    ("A", "hold B together = zusammen|halten B4 -", "not", "string: short, thin, brittle, weak",
     "bundle: bulky, heavy, large"),
    ("S", "send A in B = verschicken A4 - in B3", "not", "gift: bulky, fragile, heavy, valuable",
     "packaging: torn, small, thin, narrow"),
    ("S", "show A on B = zeigen A4 - auf B3", "not", "shown film: boring, long, secret, sad",
     "screen b: small, dirty, dark"),
    # and what did happen
    ("A", "overtake B = überholen B4", "did", "motor: fast, nimble, modern", "big vehicle: slow, overloaded, damaged"),
    ("S", "prefer A to B = vor|ziehen B3 A4", "did", "modern device: handy, reliable, fast, cheap",
     "old device: slow, old-fashioned, unreliable, heavy"),
    ("S", "prefer A to B = vor|ziehen B3 A4", "did", "shown film: exciting, funny, famous, popular",
     "show: boring, expensive, unpopular, sad"),
    ("S", "light A up with B = beleuchten A4 mit B3", "did", "room: dark, gloomy", "light: bright, powerful, strong"),
    ("S", "transport A in B = transportieren A4 in B3", "did", "freight: heavy, large, bulky",
     "cart: spacious, empty, sturdy"),
    ("S", "block A with B = versperren A4 mit B3", "did", "small street: dangerous, flooded, icy",
     "barricade: massive, high, sturdy"),
    ("A", "fit into B = passen in B4", "did", "schoolbook: thin, handy, small", "schoolbag: spacious, empty, wide"),
    ("A", "fit through B = passen durch B4", "did", "mail: thin, small", "letterbox: wide, large, open"),
    ("S", "clean A with B = reinigen A4 mit B3", "did", "floor: dirty, dusty, muddy, sticky",
     "broom: soft, new, handy"),
    ("S", "repair A with B = reparieren A4 mit B3", "did", "bike: broken, defective, damaged",
     "tool: handy, new, practical"),
    ("S", "replace A with B = ersetzen A4 durch B4", "did", "old device: broken, defective, outdated, slow",
     "modern device: fast, cheap, modern, handy"),
    ("A", "tear B = zerreißen B4", "did", "sharp thing: sharp, pointed", "wrapping: thin, old, soft"),
    ("S", "prop A up with B = stützen A4 mit B3", "did", "support: weak, decayed, unstable",
     "building material: strong, massive, sturdy"),
    ("S", "wrap A in B = ein|wickeln A4 in B4", "did", "treasure: fragile, valuable, delicate",
     "wrapping: soft, thick, clean"),
    ("S", "send A in B = verschicken A4 in B3", "did", "gift: fragile, valuable, delicate",
     "packaging: sturdy, light, cheap"),
    ("S", "rehearse A in B = proben A4 in B3", "did", "piece of music: difficult, complicated, new",
     "event hall: quiet, empty, heated"),
    ("A", "smash B = zertrümmern B4", "did", "heavy ball: heavy, hard", "fragile: fragile, thin"),
    ("S", "ride A along B = fahren mit A3 auf B3", "did", "bike: nimble, new, light",
     "small street: quiet, empty, wide"),
]
