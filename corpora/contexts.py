"""Real sentences of which a noun has become *it*, behind a sentence that brings it and another.

    python -m corpora.contexts DIR --data FOLDER [--n 40000] [--seed 0] [--into FOLDER]

*Tom closed the window* stands in FOLDER, parallel text. So in *I saw the book and the window. Tom closed it.* the
pronoun is *es*, das Fenster, and nobody has to write down what can be closed. Both nouns come from such sentences, and
a coin says whose sentence follows: neither is the likelier one before it is read. Whoever learns to tell them apart
learns how often people say this of the one rather than of the other.

    1  Nouns            those of corpora.pronouns, and everyday ones
    2  Contexts         sentences in which a noun with its article can become *it* and er, ihn, sie, es
    3  First sentences  two nouns: in place, in a list, or in a sentence of the text
    4  The reader       draws examples; what is held out of training
    5  Corpus           a folder of parallel text

Held out, by the hash of corpora.pronouns: one in six contexts, and one in six pairs of nouns.

    from corpora.contexts import sample
    for example in sample(pairs, 300, split="test"):     # [("Tom closed the window.", "Tom schloss das Fenster."), …]
        example.english, example.german, example.pronoun, example.meant, example.other
"""

from __future__ import annotations

import functools
import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpora import antecedent_words as words
from corpora import pronouns
from corpora.clauses import Joint, Named, Said, Told, people, rows, sentence, start, written
from corpora.pronoun_words import NOUNS, SHOWN
from corpora.pronouns import IT, Clause, Example, Noun, capital, form, is_held_out

Pair = tuple[str, str]  # a sentence, English and German

# ─── 1 Nouns ─────────────────────────────────────────────────────────────────────────────────────────────────────────
EVERYDAY = """
    money = das Geld; truth = die Wahrheit; movie = der Film; bike = das Fahrrad; job = die Arbeit; job = die Stelle;
    job = der Job; bill = die Rechnung; test = der Test; test = die Prüfung; medicine = die Medizin;
    medicine = das Medikament; gun = die Pistole; gun = das Gewehr; gun = die Waffe; city = die Stadt;
    weather = das Wetter; heat = die Hitze; apartment = die Wohnung; store = der Laden; store = das Geschäft;
    mouth = der Mund; color = die Farbe; elevator = der Aufzug; refrigerator = der Kühlschrank; pain = der Schmerz;
    treasure = der Schatz; temple = der Tempel; faucet = der Wasserhahn; mailbox = der Briefkasten; flag = die Fahne;
    explanation = die Erklärung; language = die Sprache; price = der Preis; voice = die Stimme; rumor = das Gerücht;
    examination = die Prüfung; situation = die Situation; situation = die Lage; food = das Essen; sky = der Himmel;
    salt = das Salz; matter = die Sache; matter = die Angelegenheit; gift = das Geschenk; tongue = die Zunge;
    theory = die Theorie; discussion = die Diskussion; suggestion = der Vorschlag; subject = das Thema;
    baggage = das Gepäck; business = das Geschäft; laundry = die Wäsche; password = das Passwort; check = der Scheck;
    product = das Produkt; temperature = die Temperatur; theater = das Theater; tire = der Reifen;
    remark = die Bemerkung; rent = die Miete; distance = die Entfernung; risk = das Risiko; election = die Wahl;
    war = der Krieg; battle = die Schlacht; composition = der Aufsatz; drink = das Getränk; schedule = der Zeitplan;
    album = das Album; universe = das Universum; website = die Webseite; comment = der Kommentar;
    crime = das Verbrechen; explosion = die Explosion; break = die Pause; page = die Seite; nation = die Nation;
    evidence = der Beweis; habit = die Gewohnheit; soul = die Seele; cold = die Erkältung; disease = die Krankheit;
    operation = die Operation; trip = die Reise; vacation = der Urlaub; lesson = der Unterricht; chapter = das Kapitel;
    paragraph = der Absatz; cell phone = das Handy; TV = der Fernseher; subway = die U-Bahn; earth = die Erde;
    lunch = das Mittagessen; dinner = das Abendessen; supper = das Abendessen; future = die Zukunft;
    past = die Vergangenheit; family = die Familie; health = die Gesundheit; class = die Klasse; courage = der Mut;
    age = das Alter; mind = der Verstand; way = der Weg; country = das Land; day = der Tag; night = die Nacht;
    week = die Woche; year = das Jahr; area = die Gegend; duty = die Pflicht; place = der Ort; place = der Platz;
    difference = der Unterschied; behavior = das Verhalten; winter = der Winter; summer = der Sommer; life = das Leben;
    time = die Zeit; work = die Arbeit; help = die Hilfe; world = die Welt; hobby = das Hobby; deadline = die Frist;
    weight = das Gewicht; group = die Gruppe; army = die Armee; motion = der Antrag; talent = das Talent;
    aim = das Ziel; opportunity = die Gelegenheit; chance = die Chance; chance = die Gelegenheit;
    intention = die Absicht; support = die Unterstützung; friendship = die Freundschaft; corner = die Ecke;
    garbage = der Müll; information = die Information; fact = die Tatsache; trust = das Vertrauen; air = die Luft;
    style = der Stil; breath = der Atem; loss = der Verlust; beginning = der Anfang; ceremony = die Zeremonie;
    choice = die Wahl; point = der Punkt; bet = die Wette; salary = das Gehalt; land = das Land; doubt = der Zweifel;
    view = die Aussicht; attitude = die Einstellung; nonsense = der Unsinn; pronunciation = die Aussprache;
    handwriting = die Handschrift; memory = das Gedächtnis; memory = die Erinnerung; diet = die Diät; gas = das Gas;
    permission = die Erlaubnis; anger = die Wut; patience = die Geduld; luck = das Glück; fate = das Schicksal;
    death = der Tod; love = die Liebe; news = die Nachricht; weekend = das Wochenende; hometown = die Heimatstadt;
    kindness = die Freundlichkeit; character = der Charakter; peace = der Frieden; freedom = die Freiheit;
    crowd = die Menge; world = die Erde"""


@functools.cache
def lexicon() -> dict[str, tuple[Noun, ...]]:
    """By the English noun, in small letters: each German one that it may be."""
    read: dict[str, dict[str, Noun]] = {}
    tables = (*(pronouns.nouns(kind) for kind in NOUNS), pronouns.read_nouns(EVERYDAY, "everyday"))
    for noun in itertools.chain.from_iterable(tables):
        read.setdefault(noun.english.lower(), {}).setdefault(noun.german, noun)
    return {english: tuple(nouns.values()) for english, nouns in read.items()}


def named(english: str) -> Iterator[tuple[str, int, int]]:
    """The nouns of a sentence, the longer before the shorter, with where they begin and end."""
    places, end = [*re.finditer(r"[\w-]+", english)], 0
    for i, n in ((i, n) for i in range(len(places)) for n in (3, 2, 1)):
        last = places[i : i + n][-1]
        name = english[places[i].start() : last.end()].lower()
        if places[i].start() >= end and name in lexicon():
            end = last.end()
            yield name, places[i].start(), end


# ─── 2 Contexts ──────────────────────────────────────────────────────────────────────────────────────────────────────
OWN = r"(?:ein|mein|dein|sein|ihr|unser|unsr|euer|eur)"
ARTICLES = {  # of a noun of this gender: as a subject, as an object
    "m": (rf"der|dieser|{OWN}", rf"den|diesen|{OWN}en"),
    "f": (rf"die|diese|{OWN}e",) * 2,
    "n": (rf"das|dieses|{OWN}",) * 2,
}
WORDS = {  # In English a noun is not alone behind "ahead" or before "behind"; as a subject, nor before "places".
    "ahead": "of and both all half than as like is was be are that this a there",
    "behind": "of and or that which who where whose than why how i you we he she tom mary",
    "places": "in on at for with from by to about near under over behind between into next",
    "no adjective": "and or is was in on of to made has had can",
    # In German er, ihn, sie, es stand behind the verb, a speaker or a conjunction, not "away" from them.
    "speakers": "ich du er sie wir ihr man tom maria mary",
    "conjunctions": "weil dass wenn ob als bevor nachdem obwohl falls sobald damit",
    "prepositions": """
        in auf an für durch ohne um gegen über unter vor hinter neben zwischen mit nach von aus bei zu seit bis wie
        wegen trotz während statt per pro je als""",
    "away": """
        mir dir ihm ihr ihnen uns euch sich mich dich es man nicht nur auch sogar und oder immer schon noch gerade heute
        gestern morgen hier dort wo so sehr gern gerne alle all beide nie niemals bloß selbst doch mal bitte jetzt nun
        dann einmal wieder oft manchmal bereits soeben eben etwa tom maria mary""",
    "on": "des der und oder von eines einer",  # with which a noun goes on
    "on, as a subject": "in auf an am im mit aus vom für",
    "on, with a comma": "der die das den dem dessen deren wo in mit auf zu",
    # Of verbs.
    "particles": """
        ab an auf aus bei ein fest fort her hin los mit nach vor weg weiter zu zurück zusammen um heraus herunter
        hinaus""",
    "helpers": "ist sind war waren hat haben hatte habe wird wurde kann konnte muss musste soll will wollte darf",
}


@functools.cache
def among(*kinds: str) -> frozenset[str]:
    return frozenset(word for kind in kinds for word in WORDS[kind].split())


@dataclass(frozen=True)
class Context:
    """A sentence about a noun, with "{}" in its place, English and German; pronoun: what stands there in German."""

    english: str
    german: str
    noun: Noun
    pronoun: str

    @property
    def key(self) -> str:
        return f"context {self.english}"

    def said(self) -> Pair:
        """With the pronouns in."""
        return capital(self.english.format("it")), capital(self.german.format(self.pronoun))

    @property
    def takes_a_list(self) -> bool:
        """Whether two nouns can stand in its place: an object, and no clause follows."""
        is_object = self.german.split(" ")[0].lower() in among("speakers") and not self.english.startswith("{}")
        return is_object and re.fullmatch(r"[^,?]*[.!]", self.english + self.german) is not None

    def listed(self, one: Named, two: Named, joint: Pair) -> Pair:
        english, german = (f" {word} " for word in joint)
        of_two = one.english + english + two.english, one.german("4") + german + two.german("4")
        return self.english.format(of_two[0]), self.german.format(of_two[1])

    def clause(self) -> Told | None:
        """To be joined on, without its full stop: a statement whose subject is one word, and its verb the next."""
        english, german = self.said()
        plain = re.fullmatch(r"(\w+) (\w+)((?: [\w-]+)*)\.", german)
        if not plain or not re.fullmatch(r"[^,;:?!.\"]+\.", english):
            return None
        subject, finite, middle = plain[1], plain[2], plain[3].strip()
        if subject.lower() not in {"es", *among("speakers")} or re.search(r"\b(weil|dass|wenn|ob|zu)\b(?!$)", middle):
            return None
        is_formal = subject == "Sie" and re.match(r"you\b", english, re.IGNORECASE)
        if subject not in ("Tom", "Maria", "Mary") and not is_formal:
            subject = subject.lower()
        if not re.match(r"(I\b|Tom|Mary)", english):
            english = english[0].lower() + english[1:]
        middle, _, last = middle.rpartition(" ")
        is_particle = last in among("particles") and finite not in among("helpers")
        return english[:-1], Clause(subject, finite, middle, last, is_particle)


def contexts(pair: Pair) -> Iterator[Context]:
    """All of a pair of sentences; none of one that is long, or has other pronouns for things."""
    english, german = pair
    if len(english.split()) > 14 or re.search(r"[{}]", english + german):
        return
    if re.search(r"\b(it|its|itself|they|them|ones?|another|es|ihn)\b", f"{english} {german}", re.IGNORECASE):
        return
    places = [*named(english)]
    for name, begin, end in places:
        owned = re.search(r"\b(the|an?|this|my|your|his|her|our|their)( [a-z]+)? $", english[:begin], re.IGNORECASE)
        if not owned or (owned[2] or "").strip() in among("no adjective") or [n for n, *_ in places].count(name) > 1:
            continue
        before, behind = english[: owned.start()], english[end:]
        ahead = re.findall(r"[\w']+", before.lower())
        after = [*re.findall(r"[\w']+|[.,;!?]", behind.lower()), ""][0]
        if ahead and (ahead[-1] in among("ahead") or ahead[-1].endswith("'s")):
            continue
        if (
            re.match(r"['-]| [a-z]+'s", behind)
            or after in among("behind") | lexicon().keys()
            or (not ahead and after in among("places"))
        ):
            continue
        for noun in lexicon()[name]:
            german_and_pronoun = in_german(german, noun, owned[2] is not None, is_first=not ahead)
            if german_and_pronoun:
                text = re.sub(r" (down|up|out|off|away|back) \{\}", r" {} \1", f"{before}{{}}{behind}")
                yield Context(text, german_and_pronoun[0], noun, german_and_pronoun[1])
                break


def in_german(german: str, noun: Noun, has_adjective: bool, is_first: bool) -> tuple[str, str] | None:
    """The sentence with "{}" where this noun's pronoun can stand, there or behind the verb, and which; else None."""
    subject, thing = ARTICLES[noun.gender]
    adjective, names = " [a-zäöüß]+" if has_adjective else "", "|".join({noun.german, noun.oblique})
    places = [*re.finditer(rf"\b((?i:{subject}|{thing})){adjective} ({names})\b(?!-)", german)]
    if len(places) != 1 or len(re.findall(rf"\b{noun.german}", german)) != 1:
        return None
    (match,) = places
    before = re.findall(r"\w+|[.,;:!?]", german[: match.start()])
    after = [*re.findall(r"\w+|[.,;:!?]", german[match.end() :]), ""]
    is_subject = re.fullmatch(subject, match[1], re.IGNORECASE) is not None
    if after[0] in among("on") or (after[0] == "," and after[1] in among("on, with a comma")):
        return None
    head, tail = german[: match.start()], german[match.end() :]
    if before:
        last = before[-1].lower()
        if not last.isalpha() or last in among("prepositions"):
            return None
        is_noun = before[-1][0].isupper() and len(before) > 1 and last not in among("speakers")
        is_far = len(before) > 2 and last not in among("speakers", "conjunctions")
        if is_noun or is_far or last in among("away"):  # an object goes where it can stand, behind the verb
            main = re.match(r"(\w+ \w+)((?: (?!und|oder)\w+){1,3} )$", head)
            if (
                is_first
                or not main
                or main[1].split()[0].lower() not in among("speakers")
                or (is_subject and subject != thing)
            ):
                return None
            return f"{main[1]} {{}}{main[2].rstrip()}{tail}", form(IT, noun.gender, "4")
    elif (
        not is_first or not is_subject or after[0] in among("on, as a subject") or after[1].lower() in among("speakers")
    ):
        return None
    pronoun = form(IT, noun.gender, "1" if is_subject else "4")
    return f"{head}{{}}{tail}", pronoun


# ─── 3 First sentences ───────────────────────────────────────────────────────────────────────────────────────────────
PLACED = """
    see A next to B = sehen A4 neben B3; see A and B = sehen A4 und B4; find A behind B = finden A4 hinter B3;
    find A and B = finden A4 und B4; hide A behind B = verstecken A4 hinter B3; put A next to B = stellen A4 neben B4;
    put A in front of B = legen A4 vor B4; put A on B = legen A4 auf B4; notice A near B = bemerken A4 bei B3;
    draw A and B = zeichnen A4 und B4; draw A beside B = zeichnen A4 neben B3; forget A and B = vergessen A4 und B4;
    photograph A and B = fotografieren A4 und B4; photograph A in front of B = fotografieren A4 vor B3;
    describe A and B = beschreiben A4 und B4; know A and B = kennen A4 und B4; need A and B = brauchen A4 und B4;
    buy A and B = kaufen A4 und B4; look for A near B = suchen A4 bei B3; look for A and B = suchen A4 und B4;
    compare A with B = vergleichen A4 mit B3; like A better than B = mögen A4 lieber als B4;
    talk about A and B = sprechen über A4 und B4; think of A and B = denken an A4 und B4;
    bring A to B = bringen A4 zu B3; have A and B = haben A4 und B4; mention A and B = erwähnen A4 und B4;
    choose A and not B = wählen A4 und nicht B4; take A and B = nehmen A4 und B4; take A out of B = nehmen A4 aus B3;
    lose A near B = verlieren A4 bei B3; lose A and B = verlieren A4 und B4; pay for A and B = bezahlen A4 und B4;
    show A and B to Tom = zeigen Tom A4 und B4; tell Mary about A and B = erzählen Maria von A3 und B3;
    come with A and B = kommen mit A3 und B3; dream of A and B = träumen von A3 und B3;
    discover A under B = entdecken A4 unter B3; exchange A for B = tauschen A4 gegen B4;
    want A and B = wollen A4 und B4;
    watch A and B = beobachten A4 und B4; leave A with B = lassen A4 bei B3; hear about A and B = hören von A3 und B3"""
OF_ITSELF = """
    stand next to B = stehen neben B3; lie under B = liegen unter B3; be behind B = sein hinter B3;
    be near B = sein in der Nähe von B3; be bigger than B = sein größer als B1; cost more than B = kosten mehr als B1;
    belong to B = gehören zu B3; be as old as B = sein so alt wie B1; come before B = kommen vor B3;
    be not far from B = sein nicht weit von B3; be more important than B = sein wichtiger als B1;
    fall on B = fallen auf B4; touch B = berühren B4; be better than B = sein besser als B1; be in B = sein in B3"""
MOODS = {"present": 2, "past": 6, "spoken": 4, "will": 1, "wanted": 1}
DETERMINERS = {"the": 9, "a": 5, "this": 1}
LISTS = (("and", "und"), ("and", "und"), ("or", "oder"))
RELATIONS = {"addition": 8, "reason": 4, "contrast": 4, "sequence": 3}
APART = ("why", "that is because", "after first", "as soon as", "before", "when first")
JOINTS = {  # with how often; without those that ask for one time in both clauses, or for a cause
    relation: {name: joint[2] for name, joint in words.JOINTS[relation].items() if name not in APART}
    for relation in RELATIONS
}


def together(pair: Pair) -> frozenset[Noun]:
    """The two nouns of a plain sentence; none of one with more or fewer, or with a pronoun for one of them."""
    english, german = pair
    names = [name for name, *_ in named(english)]
    if len(names) != 2 or not re.fullmatch(r"(\S+ ){1,11}\S+\.", english):
        return frozenset()
    if re.search(r"\b(it|its|they|them|he|she|him)\b", english, re.IGNORECASE):
        return frozenset()
    both = [[noun for noun in lexicon()[name] if re.search(rf"\b{noun.german}\b", german)] for name in names]
    return frozenset(nouns[0] for nouns in both) if all(both) else frozenset()


# ─── 4 The reader ────────────────────────────────────────────────────────────────────────────────────────────────────
class Reader:
    """Draws examples out of pairs of sentences, of one split, "train" or "test"."""

    def __init__(self, pairs: Sequence[Pair], seed: int = 0, split: str = "train"):
        if split not in ("train", "test"):
            raise ValueError(f"split is {split!r}; choose train or test.")
        self.rng, self.split = random.Random(f"contexts {seed} {split}"), split
        every = {context.english: context for pair in pairs if pair[0] not in SHOWN for context in contexts(pair)}
        self.contexts = [context for context in every.values() if is_held_out(context.key) == (split == "test")]
        self.by_noun: dict[Noun, list[Context]] = {}
        for context in self.contexts:
            self.by_noun.setdefault(context.noun, []).append(context)
        self.lists = {
            noun: [context for context in about if context.takes_a_list] for noun, about in self.by_noun.items()
        }
        if not self.contexts:
            raise ValueError(
                f"No sentence of {len(pairs)} pairs has a noun that can become a pronoun in the split {split!r}; give "
                "more text, such as tatoeba_en_de."
            )
        counts = Counter(context.noun for context in self.contexts)
        weights = (counts[context.noun] ** -0.4 for context in self.contexts)  # not a book in every tenth
        self.cumulative = [*itertools.accumulate(weights)]
        self.with_a = {noun.lower() for pair in pairs for noun in re.findall(r"\ban? ([\w-]+)", pair[0], re.IGNORECASE)}
        self.together: dict[frozenset[Noun], list[Pair]] = {}
        for pair in pairs:
            two = together(pair)
            if two and two <= self.by_noun.keys() and len({noun.gender for noun in two}) == 2:
                self.together.setdefault(two, []).append(pair)
        self.met = [sorted(two, key=lambda noun: noun.german) for two in self.together]

    def weighted(self, table: dict[str, int]) -> str:
        return self.rng.choices([*table], [*table.values()])[0]

    def example(self) -> Example:
        for _ in range(10000):
            context, rival = self.two_contexts()
            is_apart = is_held_out(pronouns.pair_key(context.noun, rival.noun)) == (self.split == "test")
            if context.noun.gender != rival.noun.gender and is_apart:
                frame, first = self.first(*self.rng.sample((context.noun, rival.noun), 2))
                joint, (english, german) = self.then(first, context)
                return Example(
                    english, german, context.noun, rival.noun, context.pronoun, context.english, f"{frame} {joint}"
                )
        raise ValueError(
            f"No two of {len(self.by_noun)} nouns differ in gender and are a pair of the split {self.split!r}; give "
            "more text, such as tatoeba_en_de."
        )

    def two_contexts(self) -> list[Context]:
        if self.met and self.rng.random() < 0.25:
            return [self.rng.choice(self.by_noun[noun]) for noun in self.rng.sample(self.rng.choice(self.met), 2)]
        return self.rng.choices(self.contexts, cum_weights=self.cumulative, k=2)

    def first(self, a: Noun, b: Noun) -> tuple[str, Told | Pair]:
        """What brings both: a sentence of the text, one about a as a list of two, or a clause of the tables."""
        met = self.together.get(frozenset((a, b)), [])
        if met and self.rng.random() < 0.5:
            return "met", self.rng.choice(met)
        named_a, named_b = (Named(noun, (self.determiner(noun), "")) for noun in (a, b))
        lists = self.lists[a]
        if lists and self.rng.random() < 0.35:
            return "list", self.rng.choice(lists).listed(named_a, named_b, self.rng.choice(LISTS))
        is_subject = self.rng.random() < 0.15
        row = self.rng.choice(rows(OF_ITSELF if is_subject else PLACED))
        who = named_a.who if is_subject else self.rng.choice(people(words.WHO))
        mood = self.weighted({"present": 1, "past": 2} if is_subject else MOODS)
        return row[0], Said(row, who, mood).told(A=named_a, B=named_b)

    def determiner(self, noun: Noun) -> str:
        """*a* only where the text has it with this noun: not *a money*."""
        return self.weighted(DETERMINERS if noun.english.lower() in self.with_a else {"the": 9, "this": 1})

    def then(self, first: Told | Pair, context: Context) -> tuple[str, Pair]:
        """A context behind the first sentence, or joined to it where both are clauses."""
        english, german = first
        if isinstance(german, Clause):
            clause = context.clause()
            if clause is not None and self.rng.random() < 0.6:
                relation = self.weighted(RELATIONS)
                joint = Joint(relation, self.weighted(JOINTS[relation]))
                return joint.name, sentence(joint, (english, german), clause)
            english, german = f"{start(english)}.", f"{written(german.main())}."
        then = context.said()
        return "two sentences", (f"{english} {then[0]}", f"{german} {then[1]}")


def examples(pairs: Sequence[Pair], seed: int = 0, split: str = "train") -> Iterator[Example]:
    """Examples without end, no English sentence twice."""
    reader, seen = Reader(pairs, seed, split), set[str]()
    while True:
        example = reader.example()
        if example.english not in seen:
            seen.add(example.english)
            yield example


def sample(pairs: Sequence[Pair], n: int, seed: int = 0, split: str = "train") -> list[Example]:
    """n different examples; the same for the same arguments."""
    return list(itertools.islice(examples(pairs, seed, split), n))


# ─── 5 Corpus ────────────────────────────────────────────────────────────────────────────────────────────────────────
def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = pronouns.parser_of("corpora.contexts", __doc__, 40000)
    parser.add_argument("--data", metavar="FOLDER", required=True, help="parallel text: train.en, train.de, also .gz")
    options = pronouns.asked(parser, arguments)
    try:
        text = pronouns.read_pairs(options.data, "train")
        made = {split: [(example.english, example.german) for example in sample(text, n, options.seed, split)]
                for split, n in (("train", options.n), ("test", options.test))}  # fmt: skip
        pronouns.save(options.folder, made["train"], made["test"], options.into)
    except (ValueError, OSError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
