"""The words of the grammar and their forms, as tables: a row is a dictionary entry, its columns are the forms.

    1  Words         nouns, verbs, adjectives, and which go together so that sentences make sense
    2  Reading them  rows become Noun and Verb
    3  Inflection    articles, endings of adjectives, pronouns, by case and gender

A new word is a new row.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

# ─── 1 Words ─────────────────────────────────────────────────────────────────────────────────────────────────────────
# English = German: with its article, then genitive and plural ("-": has none). "_" joins words that are one in German.
NOUNS = {
    "person": """
        man = der Mann Mannes Männer;  woman = die Frau Frau Frauen;  girl = das Mädchen Mädchens Mädchen;
        boy = der Junge Jungen Jungen;  mother = die Mutter Mutter Mütter;  father = der Vater Vaters Väter;
        teacher = der Lehrer Lehrers Lehrer;  sister = die Schwester Schwester Schwestern;
        brother = der Bruder Bruders Brüder;  doctor = der Arzt Arztes Ärzte;
        queen = die Königin Königin Königinnen;  king = der König Königs Könige;  farmer = der Bauer Bauern Bauern;
        aunt = die Tante Tante Tanten;  uncle = der Onkel Onkels Onkel;  student = der Student Studenten Studenten;
        daughter = die Tochter Tochter Töchter;  son = der Sohn Sohnes Söhne;
        neighbour = der Nachbar Nachbarn Nachbarn;  nurse = die Krankenschwester Krankenschwester Krankenschwestern;
        painter = der Maler Malers Maler;  waitress = die Kellnerin Kellnerin Kellnerinnen;
        bus_driver = der Busfahrer Busfahrers Busfahrer;
        actress = die Schauspielerin Schauspielerin Schauspielerinnen""",
    "animal": """
        animal = das Tier Tieres Tiere;  cat = die Katze Katze Katzen;  dog = der Hund Hundes Hunde;
        stray_cat = die Streunerkatze Streunerkatze Streunerkatzen;  guard_dog = der Wachhund Wachhundes Wachhunde;
        horse = das Pferd Pferdes Pferde;  cow = die Kuh Kuh Kühe;  bear = der Bär Bären Bären;
        pig = das Schwein Schweines Schweine;  goat = die Ziege Ziege Ziegen;  fox = der Fuchs Fuchses Füchse;
        rabbit = das Kaninchen Kaninchens Kaninchen;  duck = die Ente Ente Enten;  monkey = der Affe Affen Affen;
        circus_horse = das Zirkuspferd Zirkuspferdes Zirkuspferde;  donkey = der Esel Esels Esel""",
    "way": """
        street = die Straße Straße Straßen;  field = das Feld Feldes Felder;  square = der Platz Platzes Plätze;
        bridge = die Brücke Brücke Brücken;  meadow = die Wiese Wiese Wiesen;
        market_square = der Marktplatz Marktplatzes Marktplätze;  yard = der Hof Hofes Höfe;
        railway_bridge = die Eisenbahnbrücke Eisenbahnbrücke Eisenbahnbrücken""",
    "water": "river = der Fluss Flusses Flüsse;  canal = der Kanal Kanals Kanäle;  stream = der Bach Baches Bäche",
    "food": """
        soup = die Suppe Suppe Suppen;  bread = das Brot Brotes -;  cake = der Kuchen Kuchens Kuchen;
        apple = der Apfel Apfels Äpfel;  egg = das Ei Eies Eier;  cheese = der Käse Käses -;
        pear = die Birne Birne Birnen;  vegetable_soup = die Gemüsesuppe Gemüsesuppe Gemüsesuppen;
        salad = der Salat Salats Salate;  apple_cake = der Apfelkuchen Apfelkuchens Apfelkuchen""",
    "text": """
        book = das Buch Buches Bücher;  letter = der Brief Briefes Briefe;
        newspaper = die Zeitung Zeitung Zeitungen;  poem = das Gedicht Gedichtes Gedichte;
        story = die Geschichte Geschichte Geschichten;  report = der Bericht Berichts Berichte;
        novel = der Roman Romans Romane;  fairy_tale = das Märchen Märchens Märchen;
        love_letter = der Liebesbrief Liebesbriefes Liebesbriefe;
        school_book = das Schulbuch Schulbuches Schulbücher""",
    "thing": """
        lamp = die Lampe Lampe Lampen;  coat = der Mantel Mantels Mäntel;  dress = das Kleid Kleides Kleider;
        clock = die Uhr Uhr Uhren;  hat = der Hut Hutes Hüte;  picture = das Bild Bildes Bilder;
        bag = die Tasche Tasche Taschen;  ring = der Ring Ringes Ringe;  bicycle = das Fahrrad Fahrrads Fahrräder;
        key = der Schlüssel Schlüssels Schlüssel;  blanket = die Decke Decke Decken;
        knife = das Messer Messers Messer;  umbrella = der Regenschirm Regenschirms Regenschirme;
        winter_coat = der Wintermantel Wintermantels Wintermäntel;
        coffee_cup = die Kaffeetasse Kaffeetasse Kaffeetassen;  racing_bike = das Rennrad Rennrads Rennräder""",
    "device": """
        radio = das Radio Radios Radios;  machine = die Maschine Maschine Maschinen;
        computer = der Computer Computers Computer;
        washing_machine = die Waschmaschine Waschmaschine Waschmaschinen;
        coffee_machine = die Kaffeemaschine Kaffeemaschine Kaffeemaschinen""",
    "building": """
        house = das Haus Hauses Häuser;  school = die Schule Schule Schulen;  hotel = das Hotel Hotels Hotels;
        church = die Kirche Kirche Kirchen;  barn = die Scheune Scheune Scheunen;
        museum = das Museum Museums Museen""",
    "room": """
        garden = der Garten Gartens Gärten;  kitchen = die Küche Küche Küchen;  room = das Zimmer Zimmers Zimmer;
        forest = der Wald Waldes Wälder;  park = der Park Parks Parks;
        classroom = das Klassenzimmer Klassenzimmers Klassenzimmer""",
    "furniture": """
        table = der Tisch Tisches Tische;  kitchen_table = der Küchentisch Küchentisches Küchentische;
        cupboard = der Schrank Schrankes Schränke;  desk = der Schreibtisch Schreibtisches Schreibtische""",
    "seat": """
        chair = der Stuhl Stuhles Stühle;  bench = die Bank Bank Bänke;  bed = das Bett Bettes Betten;
        sofa = das Sofa Sofas Sofas;  wooden_chair = der Holzstuhl Holzstuhles Holzstühle""",
    "tree": """
        tree = der Baum Baumes Bäume;  apple_tree = der Apfelbaum Apfelbaumes Apfelbäume;
        hedge = die Hecke Hecke Hecken""",
    "event": """
        concert = das Konzert Konzerts Konzerte;  winter = der Winter Winters Winter;
        night = die Nacht Nacht Nächte;  lesson = die Unterrichtsstunde Unterrichtsstunde Unterrichtsstunden;
        storm = der Sturm Sturmes Stürme""",
    "cause": """
        rain = der Regen Regens -;  noise = der Lärm Lärms -;  snow = der Schnee Schnees -;
        cold = die Kälte Kälte -""",
    "weather": "weather = das Wetter Wetters -",
    "town": """
        city = die Stadt Stadt Städte;  village = das Dorf Dorfes Dörfer;
        capital = die Hauptstadt Hauptstadt Hauptstädte""",
    "ruler": """
        government = die Regierung Regierung Regierungen;  parliament = das Parlament Parlaments Parlamente;
        city_council = der Stadtrat Stadtrates Stadträte;  company = die Firma Firma Firmen""",
    "law": """
        law = das Gesetz Gesetzes Gesetze;  rule = die Regel Regel Regeln;  plan = der Plan Plans Pläne;
        tax = die Steuer Steuer Steuern""",
    "affair": """
        work = die Arbeit Arbeit -;  life = das Leben Lebens -;  trade = der Handel Handels -;
        journey = die Reise Reise Reisen;
        registration_process = das Anmeldeverfahren Anmeldeverfahrens Anmeldeverfahren""",
}
# English: infinitive, past, participle. German: infinitive, present, past, participle; "sein" if the perfect takes it.
# "+" marks what comes apart, "_" a preposition. Above each group: who > what : how it is used. Objects are in the
# accusative; where there are two kinds, ".dat" ends those of the dative.
VERBS = {
    "person > thing : want too": """
        buy bought bought = kaufen kauft kaufte gekauft;
        bring+along brought brought = mit+bringen bringt brachte gebracht;
        keep kept kept = behalten behält behielt behalten""",
    "person > thing :": """
        carry carried carried = tragen trägt trug getragen;  put+away put put = weg+räumen räumt räumte geräumt;
        wash washed washed = waschen wäscht wusch gewaschen""",
    "person > thing text device : want": """
        look_for looked looked = suchen sucht suchte gesucht""",
    "person > thing text : away": """
        sell sold sold = verkaufen verkauft verkaufte verkauft;
        throw+away threw thrown = weg+werfen wirft warf geworfen""",
    "person > thing text : away chance": """
        lose lost lost = verlieren verliert verlor verloren;
        forget forgot forgotten = vergessen vergisst vergaß vergessen""",
    "person > text : habit too": """
        read read read = lesen liest las gelesen;  copy copied copied = ab+schreiben schreibt schrieb geschrieben;
        understand understood understood = verstehen versteht verstand verstanden""",
    "person animal > food : habit too": """
        eat ate eaten = essen isst aß gegessen;  taste tasted tasted = probieren probiert probierte probiert""",
    "person > animal : habit want": """
        feed fed fed = füttern füttert fütterte gefüttert;
        stroke stroked stroked = streicheln streichelt streichelte gestreichelt;
        look_for looked looked = suchen sucht suchte gesucht;  wash washed washed = waschen wäscht wusch gewaschen""",
    "person > person : habit want": """
        visit visited visited = besuchen besucht besuchte besucht;  call called called = an+rufen ruft rief gerufen;
        invite invited invited = ein+laden lädt lud geladen;  pick+up picked picked = ab+holen holt holte geholt""",
    "animal > animal person : chance": """
        see saw seen = sehen sieht sah gesehen;  bite bit bitten = beißen beißt biss gebissen;
        hear heard heard = hören hört hörte gehört;  find found found = finden findet fand gefunden""",
    "person animal > way water : too": """
        cross crossed crossed = überqueren überquert überquerte überquert""",
    "person > device : want": """
        repair repaired repaired = reparieren repariert reparierte repariert""",
    "person > device : habit": """
        turn+on turned turned = ein+schalten schaltet schaltete geschaltet;
        turn+off turned turned = aus+schalten schaltet schaltete geschaltet""",
    "person > person.dat : habit": """
        help helped helped = helfen hilft half geholfen;  thank thanked thanked = danken dankt dankte gedankt;
        listen_to listened listened = zu+hören hört hörte gehört""",
    "person animal > animal person.dat :": """
        follow followed followed = folgen folgt folgte gefolgt sein""",
    "person > person.dat thing text :": """
        give gave given = geben gibt gab gegeben;  show showed shown = zeigen zeigt zeigte gezeigt;
        bring brought brought = bringen bringt brachte gebracht;
        sell sold sold = verkaufen verkauft verkaufte verkauft""",
    "person animal > : habit": """
        sleep slept slept = schlafen schläft schlief geschlafen;
        get+up got got = auf+stehen steht stand gestanden sein;
        come+back came come = zurück+kommen kommt kam gekommen sein;
        fall+asleep fell fallen = ein+schlafen schläft schlief geschlafen sein""",
    "person animal > : where habit": """
        sleep slept slept = schlafen schläft schlief geschlafen;
        wait waited waited = warten wartet wartete gewartet;  play played played = spielen spielt spielte gespielt;
        sit sat sat = sitzen sitzt saß gesessen""",
    "person animal > : whither": """
        run ran run = laufen läuft lief gelaufen sein""",
    "animal > : whither": """
        jump jumped jumped = springen springt sprang gesprungen sein;
        crawl crawled crawled = kriechen kriecht kroch gekrochen sein""",
    "person > : whither": """
        walk walked walked = gehen geht ging gegangen sein""",
    "person > text : whither": """
        put put put = legen legt legte gelegt""",
    "person > thing text : where": """
        hide hid hidden = verstecken versteckt versteckte versteckt""",
    "person > thing text : where chance": """
        find found found = finden findet fand gefunden;  see saw seen = sehen sieht sah gesehen""",
    "person > person animal : state": """
        miss missed missed = vermissen vermisst vermisste vermisst""",
    "person > person animal : state liking": """
        love loved loved = lieben liebt liebte geliebt;  like liked liked = mögen mag mochte gemocht""",
    "person > thing text device : state liking": """
        need needed needed = brauchen braucht brauchte gebraucht;  like liked liked = mögen mag mochte gemocht""",
    "person > : report": """
        say said said = sagen sagt sagte gesagt;  believe believed believed = glauben glaubt glaubte geglaubt;
        know knew known = wissen weiß wusste gewusst;  hope hoped hoped = hoffen hofft hoffte gehofft""",
    "ruler > law : making": """
        introduce introduced introduced = ein+führen führt führte geführt;
        announce announced announced = an+kündigen kündigt kündigte gekündigt;
        pass passed passed = beschließen beschließt beschloss beschlossen""",
}
ADJECTIVES = """
    old = alt;  young = jung;  small = klein;  big = groß;  friendly = freundlich;  clever = klug;  quiet = ruhig;
    tired = müde;  sick = krank;  weak = schwach;  hungry = hungrig;  lazy = faul;  black = schwarz;  white = weiß;
    brown = braun;  red = rot;  blue = blau;  green = grün;  new = neu;  beautiful = schön;  expensive = teuer;
    heavy = schwer;  ugly = hässlich;  wide = breit;  dangerous = gefährlich;  wet = nass;  dark = dunkel;
    cold = kalt;  deep = tief;  fresh = frisch;  hot = heiß;  salty = salzig;  long = lang;  boring = langweilig;
    complicated = kompliziert;  bad = schlecht;  famous = berühmt;  poor = arm;  delicious = lecker;
    strict = streng;  difficult = schwierig;  pleasant = angenehm;  interesting = interessant;  empty = leer;
    loud = laut"""
STEMS = {"teuer": "teur", "dunkel": "dunkl", "müde": "müd"}  # before an ending
COMPARATIVES = {"teuer": "teurer"}  # else: with "er"
WORSE = "difficult expensive dangerous complicated interesting pleasant"  # what laws make things more of

# What goes with what, so that sentences make sense.
FITTING = {
    "person": "old young friendly clever famous poor", "boy": "friendly clever poor", "girl": "friendly clever poor",
    "animal": "old young small big black white brown hungry",
    "way": "wide small quiet empty", "water": "small cold deep dangerous", "food": "fresh delicious",
    "text": "old new long boring interesting beautiful", "thing": "old new red blue green beautiful expensive heavy",
    "device": "old new big expensive loud", "building": "old new small big beautiful",
    "room": "small big dark beautiful quiet", "furniture": "old new small big", "seat": "old new small big",
    "tree": "old small big beautiful", "event": "long", "weather": "bad cold wet", "law": "new strict complicated",
}  # fmt: skip
HINDRANCES = {  # too … to do it, or to be bought, crossed, eaten; the first row and the others have no word in common
    "animate": "tired weak sick lazy", "way": "wide dangerous dark", "water": "wide dangerous deep",
    "food": "hot salty", "text": "long boring complicated difficult", "thing": "expensive heavy ugly old",
}  # fmt: skip
OWNED = ("animal", "thing", "text", "device")
LIVING = ("person", "animal")  # of these "cats" without an article would be all the cats there are
SHE = {"woman", "girl", "mother", "sister", "queen", "aunt", "daughter", "nurse", "waitress", "actress"}
WORKERS = {"teacher", "doctor", "farmer", "student", "nurse", "painter", "waitress", "driver", "actress"}
BARE = {"work", "life", "trade"}  # "life", but "das Leben"
MATERIALS = {"stray", "wooden"}  # adjectives of which German makes half a word
PLACED = {"where", "whither"}
PLACES = {  # English for where and for whither, German, what stands there: of people, and of the rest
    "person": [
        ("in", "into", "in", "building room"), ("on", "onto", "auf", "seat"), ("under", "under", "unter", "tree"),
        ("behind", "behind", "hinter", "building tree"), ("next to", "next to", "neben", "building tree"),
    ],
    "animal": [
        ("in", "into", "in", "building room"), ("on", "onto", "auf", "seat furniture"),
        ("under", "under", "unter", "seat furniture tree"), ("behind", "behind", "hinter", "seat furniture tree"),
        ("next to", "next to", "neben", "seat furniture tree"),
    ],
}  # fmt: skip
TENSES = {  # of verbs used so
    "state": "present past", "chance": "past past perfect", "habit": "past past perfect will could should present",
    "": "past past perfect will could should",
}  # fmt: skip
TIMES = {
    "past": [["yesterday=gestern"], ["this=heute", "morning=Morgen"], ["last=letzte", "week=Woche"]],
    "present": [["every=jeden", "day=Tag"], ["every=jeden", "morning=Morgen"], ["today=heute"]],
    "will": [["tomorrow=morgen"], ["soon=bald"], ["next=nächste", "week=Woche"]],
}
TIME_TAGS = {"this": "DT", "every": "DT", "last": "JJ", "next": "JJ", "soon": "RB"}  # the others are nouns
CIRCUMSTANCES = [("event", "during", "während"), ("cause", "because of", "wegen"), ("weather", "because of", "wegen")]
CONJUNCTIONS = {"because": "weil", "although": "obwohl", "that": "dass"}


# ─── 2 Reading them ──────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Noun:
    """A row of NOUNS. english: by whether it is plural; german: by that and by case; he: its pronoun in English."""

    kind: str
    english: dict[bool, tuple[str, ...]]
    german: dict[bool, dict[str, str]]
    gender: str
    he: str
    countable: bool
    fitting: list[str]  # adjectives


@dataclass(frozen=True, slots=True)
class Verb:
    """A row of VERBS. english and german: by base, present, past, participle; particle, prefix: what comes apart."""

    english: dict[str, str]
    particle: tuple[str, str] | None  # ("RP", "up"), or the preposition before its object, ("IN", "for")
    german: dict[str, str]
    prefix: str
    auxiliary: str
    who: tuple[str, ...]
    what: tuple[tuple[str, tuple[str, ...]], ...]  # the case and the kinds of each object
    uses: frozenset[str]

    @property
    def takes_preposition(self) -> bool:
        return self.particle is not None and self.particle[0] == "IN"


def with_s(word: str) -> str:
    """A noun's plural and a verb's third person: dog -> dogs, church -> churches, city -> cities."""
    if word in (irregular := {"man": "men", "woman": "women", "knife": "knives"}):
        return irregular[word]
    if word[-1] == "y" and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def read_noun(kind: str, row: str) -> Noun:
    english, _, article, nominative, genitive, plural = row.split()
    gender, words = {"der": "m", "die": "f", "das": "n"}[article], tuple(english.split("_"))
    oblique = genitive if gender == "m" and genitive.endswith("n") else nominative  # der Junge, den Jungen
    many = plural + ("" if plural[-1] in "ns" else "n")  # die Hunde, den Hunden
    singular = {"nom": nominative, "acc": oblique, "dat": oblique, "gen": genitive}
    german = {False: singular, True: {"nom": plural, "acc": plural, "dat": many, "gen": plural}}
    fitting = FITTING.get(english, FITTING.get(kind, "")).split()
    he = "it" if kind != "person" else "she" if words[-1] in SHE else "he"
    return Noun(
        kind, {False: words, True: (*words[:-1], with_s(words[-1]))}, german, gender, he, plural != "-", fitting
    )


def read_verb(frame: str, row: str) -> Verb:
    who, what, uses = (part.strip() for part in re.split("[>:]", frame))
    english, german = (half.split() for half in row.split("="))
    base, mark, particle = [*re.split("([+_])", english[0]), "", ""][:3]
    prefix, _, stem = german[0].rpartition("+")
    objects = [(case or "acc", tuple(kinds.split())) for kinds, case in re.findall(r"([\w ]+?)(?:\.(\w+)|$)", what)]
    return Verb(
        {"base": base, "present": with_s(base), "past": english[1], "participle": english[2]},
        ({"+": "RP", "_": "IN"}[mark], particle) if mark else None,
        {"base": stem, "present": german[1], "past": german[2], "participle": german[3]},
        prefix, "sein" if german[4:] else "haben", tuple(who.split()), tuple(objects), frozenset(uses.split()),
    )  # fmt: skip


ALL_NOUNS = [read_noun(kind, row) for kind, rows in NOUNS.items() for row in rows.split(";")]
ALL_VERBS = [read_verb(frame, row) for frame, rows in VERBS.items() for row in rows.split(";")]
GERMAN_ADJECTIVES = dict(row.split(" = ") for row in ADJECTIVES.replace("\n", "").replace("  ", "").split(";"))


@functools.cache
def nouns(kinds: tuple[str, ...]) -> list[Noun]:
    """The nouns of these kinds; "worker" are the persons whose work has a name."""
    if kinds == ("worker",):
        return [noun for noun in ALL_NOUNS if noun.english[False][-1] in WORKERS]
    return [noun for noun in ALL_NOUNS if noun.kind in kinds]


@functools.cache
def used(use: str, what: str = "") -> list[Verb]:
    """The verbs that are used so, of those the ones whose object may be `what`."""
    return [verb for verb in ALL_VERBS if use in verb.uses and (not what or what in verb.what[0][1])]


@functools.cache
def simple() -> list[Verb]:
    """The verbs of simple sentences."""
    return [verb for verb in ALL_VERBS if not verb.uses & {"report", "making"}]


@functools.cache
def transitive(who: str = "", what: str = "") -> list[Verb]:
    """The simple verbs with one object and no place, whose subject may be `who` and whose object may be `what`."""
    fits = [verb for verb in simple() if len(verb.what) == 1 and not verb.uses & PLACED]
    return [verb for verb in fits if who in ("", *verb.who) and what in ("", *verb.what[0][1])]


# ─── 3 Inflection ────────────────────────────────────────────────────────────────────────────────────────────────────
Forms = dict[str, dict[str, str]]


def by_case(nom: str, acc: str, dat: str, gen: str) -> Forms:
    """Four rows of four forms, masculine, feminine, neuter, plural; "-" is no ending."""
    rows = dict(nom=nom, acc=acc, dat=dat, gen=gen)
    return {case: dict(zip("mfnp", row.replace("-", "").split(" "), strict=True)) for case, row in rows.items()}


DER = by_case("der die das die", "den die das die", "dem der dem den", "des der des der")
DIESER = by_case("er e es e", "en e es e", "em er em en", "es er es er")  # dies-er
EIN = by_case("- e - e", "en e - e", "em er em en", "es er es er")  # ein, kein-e, mein-em
WEAK = by_case("e e e en", "en e e en", "en en en en", "en en en en")  # after der, dieser
MIXED = by_case("er e es en", "en e es en", "en en en en", "en en en en")  # after ein, kein, sein
STRONG = by_case("er e es e", "en e es e", "em er em en", "en er en er")  # after nothing
PRONOUNS = by_case("er sie es sie", "ihn sie es sie", "ihm ihr ihm ihnen", "- - - -")
RELATIVES = by_case("der die das die", "den die das die", "dem der dem denen", "dessen deren dessen deren")
CONTRACTIONS = {("in", "dem"): "im", ("in", "das"): "ins"}
HE = {  # subject, object, possessive
    "he": ("he", "him", "his"), "she": ("she", "her", "her"), "it": ("it", "it", "its"),
    "they": ("they", "them", "their"),
}  # fmt: skip
BE = {  # by tense and whether it is plural: tag and word
    ("past", False): ("VBD", "was"), ("past", True): ("VBD", "were"),
    ("present", False): ("VBZ", "is"), ("present", True): ("VBP", "are"),
}  # fmt: skip
AUXILIARIES = {  # German, singular and plural; "past" and "present" are those of sein itself
    "haben": ("hat", "haben"), "sein": ("ist", "sind"), "will": ("wird", "werden"), "could": ("konnte", "konnten"),
    "should": ("sollte", "sollten"), "past": ("war", "waren"), "present": ("ist", "sind"),
}  # fmt: skip


def english_verb(verb: Verb, tense: str, plural: bool, negated: bool) -> list[tuple[str, str]]:
    """Tag and word of the auxiliary, if there is one, and of the verb: did (not) cross, has crossed, crossed."""
    tag = "VBD" if tense == "past" else "VBP" if plural else "VBZ"
    if tense in ("past", "present") and negated:
        return [(tag, {"VBD": "did", "VBP": "do", "VBZ": "does"}[tag]), ("VB", verb.english["base"])]
    if tense in ("past", "present"):
        return [(tag, verb.english["base" if tag == "VBP" else tense])]
    if tense == "perfect":
        return [(tag, "have" if plural else "has"), ("VBN", verb.english["participle"])]
    return [("MD", tense), ("VB", verb.english["base"])]


def german_verb(verb: Verb, tense: str, plural: bool) -> tuple[str, str]:
    """The finite form, and what ends a main clause with it: rief … an, hat … angerufen, wird … anrufen."""
    if tense == "perfect":
        return AUXILIARIES[verb.auxiliary][plural], verb.prefix + verb.german["participle"]
    if tense not in ("past", "present"):
        return AUXILIARIES[tense][plural], verb.prefix + verb.german["base"]
    form = verb.german["base" if plural and tense == "present" else tense]
    if plural and tense == "past":
        form += "n" if form.endswith("e") else "en"
    return form, verb.prefix
