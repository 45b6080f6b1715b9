//! Verbs: their forms, objects and possible additions.

use super::morphology::Agreement;
use super::nouns::{
    ANIMAL, CLOTHES, DISH, DRINK, FOOD, Kinds, LARGE, MACHINE, MOTIF, OPENING, PERSON, ROOM, SMALL,
    TEXT, THING, WORK,
};

/// A verb in both languages.
#[derive(Debug)]
pub(super) struct Verb {
    /// Forms without the separable prefix: infinitive and plural, first, second and third person.
    german: [&'static str; 4],
    /// Past participle, including the prefix.
    pub(super) participle: &'static str,
    /// Separable prefix, which goes to the end of a main clause; empty for most.
    pub(super) prefix: &'static str,
    /// True if the verb forms its perfect with `sein`.
    pub(super) perfect_with_be: bool,
    /// English base form, third person, and past.
    pub(super) english: [&'static str; 3],
    /// English particle, as `up` in `pick up`: after the verb, or after the object if that is a
    /// pronoun.
    pub(super) particle: &'static str,
    /// English preposition, as `to` in `listen to`: always before the object.
    pub(super) preposition: &'static str,
    /// Kinds of the verb's subject: persons, except for verbs such as stand, lie and belong.
    pub(super) subject: Kinds,
    pub(super) objects: Objects,
    /// True if the verb is a state, such as `kennen`: it takes no modal verb of wanting or
    /// beginning, and no time of day.
    pub(super) is_state: bool,
    /// Set of the phrases that may be added to the verb, as bits.
    pub(super) additions: u8,
}

/// Objects of a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Objects {
    None,
    /// A thing of these kinds in the accusative.
    Accusative(Kinds),
    /// A person in the dative.
    Dative,
    /// A person in the dative (with `to` in English), and a thing of these kinds in the accusative.
    Both(Kinds),
}

/// Addition of a place.
pub(super) const PLACED: u8 = 1;
/// Addition of a companion: with or without a person.
pub(super) const SHARED: u8 = 1 << 1;
/// Addition of a person for whom something is done.
pub(super) const DONE_FOR: u8 = 1 << 2;
/// Addition of a direction, into a place or to a person; always present.
pub(super) const DIRECTED: u8 = 1 << 3;
/// Addition of a place on or under something; always present.
pub(super) const LAID: u8 = 1 << 4;
/// Addition of a place beside, behind or in front of something; always present.
pub(super) const STOOD: u8 = 1 << 5;

const fn verb(
    german: [&'static str; 4],
    participle: &'static str,
    english: [&'static str; 3],
    objects: Objects,
    additions: u8,
) -> Verb {
    Verb {
        german,
        participle,
        prefix: "",
        perfect_with_be: false,
        english,
        particle: "",
        preposition: "",
        subject: PERSON,
        objects,
        is_state: false,
        additions,
    }
}

impl Verb {
    const fn prefix(self, prefix: &'static str) -> Self {
        Self { prefix, ..self }
    }

    const fn perfect_with_be(self) -> Self {
        Self {
            perfect_with_be: true,
            ..self
        }
    }

    const fn particle(self, particle: &'static str) -> Self {
        Self { particle, ..self }
    }

    const fn preposition(self, preposition: &'static str) -> Self {
        Self {
            preposition,
            ..self
        }
    }

    const fn subject(self, subject: Kinds) -> Self {
        Self { subject, ..self }
    }

    const fn state(self) -> Self {
        Self {
            is_state: true,
            ..self
        }
    }

    /// Returns the finite form without the prefix.
    pub(super) fn finite(&self, agreement: Agreement) -> &'static str {
        match agreement {
            Agreement::Plural => self.german[0],
            Agreement::I => self.german[1],
            Agreement::You => self.german[2],
            Agreement::ThirdSingular => self.german[3],
        }
    }

    /// Returns the finite form with the prefix, as at the end of a clause: `anruft`.
    pub(super) fn finite_joined(&self, agreement: Agreement) -> String {
        [self.prefix, self.finite(agreement)].concat()
    }

    /// Returns the infinitive with the prefix: `anrufen`.
    pub(super) fn infinitive(&self) -> String {
        [self.prefix, self.german[0]].concat()
    }

    /// True if the verb is an action of a person.
    pub(super) fn is_deed(&self) -> bool {
        self.subject == PERSON && !self.is_state
    }

    pub(super) fn may_have(&self, addition: u8) -> bool {
        self.additions & addition != 0
    }
}

/// Kinds of things that can change hands.
const GOODS: Kinds = THING | CLOTHES | TEXT;

use Objects::{Accusative, Both, Dative};

#[rustfmt::skip]
pub(super) static VERBS: [Verb; 40] = [
    verb(["lesen", "lese", "liest", "liest"], "gelesen", ["read", "reads", "read"], Accusative(TEXT), PLACED),
    verb(["schreiben", "schreibe", "schreibst", "schreibt"], "geschrieben", ["write", "writes", "wrote"], Accusative(WORK), DONE_FOR),
    verb(["verstehen", "verstehe", "verstehst", "versteht"], "verstanden", ["understand", "understands", "understood"], Accusative(TEXT | PERSON), 0).state(),
    verb(["kaufen", "kaufe", "kaufst", "kauft"], "gekauft", ["buy", "buys", "bought"], Accusative(GOODS | FOOD | DRINK), DONE_FOR),
    verb(["suchen", "suche", "suchst", "sucht"], "gesucht", ["look", "looks", "looked"], Accusative(GOODS | PERSON | ANIMAL), PLACED).preposition("for"),
    verb(["finden", "finde", "findest", "findet"], "gefunden", ["find", "finds", "found"], Accusative(GOODS | PERSON | ANIMAL), PLACED),
    verb(["sehen", "sehe", "siehst", "sieht"], "gesehen", ["see", "sees", "saw"], Accusative(GOODS | PERSON | ANIMAL), PLACED),
    verb(["kennen", "kenne", "kennst", "kennt"], "gekannt", ["know", "knows", "knew"], Accusative(PERSON | WORK), 0).state(),
    verb(["treffen", "treffe", "triffst", "trifft"], "getroffen", ["meet", "meets", "met"], Accusative(PERSON), PLACED),
    verb(["besuchen", "besuche", "besuchst", "besucht"], "besucht", ["visit", "visits", "visited"], Accusative(PERSON), SHARED),
    verb(["lieben", "liebe", "liebst", "liebt"], "geliebt", ["love", "loves", "loved"], Accusative(PERSON | ANIMAL | WORK), 0).state(),
    verb(["essen", "esse", "isst", "isst"], "gegessen", ["eat", "eats", "ate"], Accusative(FOOD), PLACED | SHARED),
    verb(["trinken", "trinke", "trinkst", "trinkt"], "getrunken", ["drink", "drinks", "drank"], Accusative(DRINK), PLACED | SHARED),
    verb(["kochen", "koche", "kochst", "kocht"], "gekocht", ["cook", "cooks", "cooked"], Accusative(DISH), DONE_FOR | SHARED),
    verb(["malen", "male", "malst", "malt"], "gemalt", ["paint", "paints", "painted"], Accusative(MOTIF), DONE_FOR | PLACED),
    verb(["tragen", "trage", "trägst", "trägt"], "getragen", ["wear", "wears", "wore"], Accusative(CLOTHES), 0),
    verb(["reparieren", "repariere", "reparierst", "repariert"], "repariert", ["repair", "repairs", "repaired"], Accusative(MACHINE), DONE_FOR | SHARED),
    verb(["verlieren", "verliere", "verlierst", "verliert"], "verloren", ["lose", "loses", "lost"], Accusative(SMALL | ANIMAL), PLACED),

    verb(["rufen", "rufe", "rufst", "ruft"], "angerufen", ["call", "calls", "called"], Accusative(PERSON), 0).prefix("an"),
    verb(["holen", "hole", "holst", "holt"], "abgeholt", ["pick", "picks", "picked"], Accusative(PERSON), SHARED).prefix("ab").particle("up"),
    verb(["laden", "lade", "lädst", "lädt"], "eingeladen", ["invite", "invites", "invited"], Accusative(PERSON), 0).prefix("ein"),
    verb(["bringen", "bringe", "bringst", "bringt"], "mitgebracht", ["bring", "brings", "brought"], Accusative(GOODS | FOOD | DRINK), 0).prefix("mit").particle("along"),
    verb(["machen", "mache", "machst", "macht"], "aufgemacht", ["open", "opens", "opened"], Accusative(OPENING), DONE_FOR).prefix("auf"),
    verb(["machen", "mache", "machst", "macht"], "zugemacht", ["close", "closes", "closed"], Accusative(OPENING), DONE_FOR).prefix("zu"),
    verb(["ziehen", "ziehe", "ziehst", "zieht"], "angezogen", ["put", "puts", "put"], Accusative(CLOTHES), 0).prefix("an").particle("on"),
    verb(["räumen", "räume", "räumst", "räumt"], "aufgeräumt", ["clean", "cleans", "cleaned"], Accusative(ROOM), DONE_FOR | SHARED).prefix("auf").particle("up"),
    verb(["hören", "höre", "hörst", "hört"], "zugehört", ["listen", "listens", "listened"], Dative, 0).prefix("zu").preposition("to"),
    verb(["schlafen", "schlafe", "schläfst", "schläft"], "eingeschlafen", ["fall", "falls", "fell"], Objects::None, PLACED).prefix("ein").perfect_with_be().particle("asleep"),
    verb(["stehen", "stehe", "stehst", "steht"], "aufgestanden", ["get", "gets", "got"], Objects::None, 0).prefix("auf").perfect_with_be().particle("up"),

    verb(["helfen", "helfe", "hilfst", "hilft"], "geholfen", ["help", "helps", "helped"], Dative, PLACED),

    verb(["geben", "gebe", "gibst", "gibt"], "gegeben", ["give", "gives", "gave"], Both(GOODS | FOOD), 0),
    verb(["schicken", "schicke", "schickst", "schickt"], "geschickt", ["send", "sends", "sent"], Both(GOODS), 0),

    verb(["arbeiten", "arbeite", "arbeitest", "arbeitet"], "gearbeitet", ["work", "works", "worked"], Objects::None, PLACED | SHARED | DONE_FOR),
    verb(["singen", "singe", "singst", "singt"], "gesungen", ["sing", "sings", "sang"], Objects::None, PLACED | SHARED | DONE_FOR),
    verb(["tanzen", "tanze", "tanzt", "tanzt"], "getanzt", ["dance", "dances", "danced"], Objects::None, PLACED | SHARED),
    verb(["spielen", "spiele", "spielst", "spielt"], "gespielt", ["play", "plays", "played"], Objects::None, PLACED | SHARED),

    verb(["gehen", "gehe", "gehst", "geht"], "gegangen", ["go", "goes", "went"], Objects::None, DIRECTED | SHARED).perfect_with_be(),
    verb(["laufen", "laufe", "läufst", "läuft"], "gelaufen", ["run", "runs", "ran"], Objects::None, DIRECTED | PLACED).perfect_with_be(),

    verb(["liegen", "", "", "liegt"], "gelegen", ["lie", "lies", "lay"], Objects::None, LAID).subject(SMALL),
    verb(["stehen", "", "", "steht"], "gestanden", ["stand", "stands", "stood"], Objects::None, STOOD).subject(LARGE),
];

const fn plain(
    german: [&'static str; 4],
    participle: &'static str,
    english: [&'static str; 3],
) -> Verb {
    verb(german, participle, english, Objects::None, 0)
}

/// The verb `wissen`, which also takes clauses with question words.
pub(super) static KNOW: Verb = know();

const fn know() -> Verb {
    plain(
        ["wissen", "weiß", "weißt", "weiß"],
        "gewusst",
        ["know", "knows", "knew"],
    )
}

/// Verbs whose object is a clause with `dass`.
#[rustfmt::skip]
pub(super) static VERBS_OF_SPEECH: [Verb; 4] = [
    plain(["sagen", "sage", "sagst", "sagt"], "gesagt", ["say", "says", "said"]),
    plain(["glauben", "glaube", "glaubst", "glaubt"], "geglaubt", ["believe", "believes", "believed"]),
    plain(["hoffen", "hoffe", "hoffst", "hofft"], "gehofft", ["hope", "hopes", "hoped"]),
    know(),
];

/// The verb whose object is a clause with `ob`.
pub(super) static ASK: Verb = plain(
    ["fragen", "frage", "fragst", "fragt"],
    "gefragt",
    ["ask", "asks", "asked"],
);

/// Verbs whose object is an infinitive with `zu`.
#[rustfmt::skip]
pub(super) static VERBS_OF_INTENT: [Verb; 2] = [
    plain(["versuchen", "versuche", "versuchst", "versucht"], "versucht", ["try", "tries", "tried"]),
    plain(["vergessen", "vergesse", "vergisst", "vergisst"], "vergessen", ["forget", "forgets", "forgot"]),
];

/// The verb `gefallen`, whose subject is the object of `like`.
pub(super) static PLEASE: Verb = verb(
    ["gefallen", "", "", "gefällt"],
    "gefallen",
    ["like", "likes", "liked"],
    Dative,
    0,
)
.state();

/// The verb `gehören`, whose subject is a thing.
pub(super) static BELONG: Verb = verb(
    ["gehören", "", "", "gehört"],
    "gehört",
    ["belong", "belongs", "belonged"],
    Dative,
    0,
)
.preposition("to")
.state();

/// Verbs of the weather, whose subject is `es`.
pub(super) static WEATHER: [Verb; 2] = [
    plain(
        ["", "", "", "regnet"],
        "geregnet",
        ["rain", "rains", "rained"],
    ),
    plain(
        ["", "", "", "schneit"],
        "geschneit",
        ["snow", "snows", "snowed"],
    ),
];
