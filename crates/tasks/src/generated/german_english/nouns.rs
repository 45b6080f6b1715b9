//! The nouns, and the kinds of things that they denote.

use super::morphology::Gender::{self, Feminine, Masculine, Neuter};

/// Set of kinds of things, one bit each, by which verbs restrict their objects, and adjectives
/// their nouns.
pub(super) type Kinds = u32;

pub(super) const PERSON: Kinds = 1;
pub(super) const ANIMAL: Kinds = 1 << 1;
/// Things to read.
pub(super) const TEXT: Kinds = 1 << 2;
/// Texts written by one author.
pub(super) const WORK: Kinds = 1 << 3;
pub(super) const FOOD: Kinds = 1 << 4;
/// Food that is cooked.
pub(super) const DISH: Kinds = 1 << 5;
pub(super) const DRINK: Kinds = 1 << 6;
pub(super) const CLOTHES: Kinds = 1 << 7;
/// Personal belongings.
pub(super) const THING: Kinds = 1 << 8;
/// Small things, which lie somewhere.
pub(super) const SMALL: Kinds = 1 << 9;
/// Large things, which stand somewhere.
pub(super) const LARGE: Kinds = 1 << 10;
/// Things that open and close.
pub(super) const OPENING: Kinds = 1 << 11;
/// Things that break and are repaired.
pub(super) const MACHINE: Kinds = 1 << 12;
/// Things that are painted.
pub(super) const MOTIF: Kinds = 1 << 13;
pub(super) const PLACE: Kinds = 1 << 14;
/// Rooms, which are tidied.
pub(super) const ROOM: Kinds = 1 << 15;
/// Things on or under which something lies.
pub(super) const SURFACE: Kinds = 1 << 16;
/// Things beside which something stands.
pub(super) const LANDMARK: Kinds = 1 << 17;

/// A noun in both languages.
#[derive(Debug)]
pub(super) struct Noun {
    pub(super) gender: Gender,
    /// Singular and plural; the plural is empty if the toy language has none.
    pub(super) german: [&'static str; 2],
    pub(super) english: [&'static str; 2],
    pub(super) kinds: Kinds,
}

impl Noun {
    /// True for mass nouns, which have neither a plural nor `ein`.
    pub(super) fn is_mass(&self) -> bool {
        self.german[1].is_empty() && self.kinds & PLACE == 0
    }

    pub(super) fn has_plural(&self) -> bool {
        !self.german[1].is_empty()
    }

    pub(super) fn is(&self, kinds: Kinds) -> bool {
        self.kinds & kinds != 0
    }
}

const fn noun(
    gender: Gender,
    german: [&'static str; 2],
    english: [&'static str; 2],
    kinds: Kinds,
) -> Noun {
    Noun {
        gender,
        german,
        english,
        kinds,
    }
}

/// Creates a noun without plural.
const fn only(gender: Gender, german: &'static str, english: &'static str, kinds: Kinds) -> Noun {
    noun(gender, [german, ""], [english, ""], kinds)
}

#[rustfmt::skip]
pub(super) static NOUNS: [Noun; NOUN_COUNT] = [
    noun(Masculine, ["mann", "männer"], ["man", "men"], PERSON),
    noun(Masculine, ["lehrer", "lehrer"], ["teacher", "teachers"], PERSON),
    noun(Masculine, ["arzt", "ärzte"], ["doctor", "doctors"], PERSON),
    noun(Masculine, ["freund", "freunde"], ["friend", "friends"], PERSON),
    noun(Masculine, ["bruder", "brüder"], ["brother", "brothers"], PERSON),
    noun(Masculine, ["vater", "väter"], ["father", "fathers"], PERSON),
    noun(Masculine, ["könig", "könige"], ["king", "kings"], PERSON),
    noun(Masculine, ["onkel", "onkel"], ["uncle", "uncles"], PERSON),
    noun(Feminine, ["frau", "frauen"], ["woman", "women"], PERSON),
    noun(Feminine, ["mutter", "mütter"], ["mother", "mothers"], PERSON),
    noun(Feminine, ["schwester", "schwestern"], ["sister", "sisters"], PERSON),
    noun(Feminine, ["tochter", "töchter"], ["daughter", "daughters"], PERSON),
    noun(Feminine, ["königin", "königinnen"], ["queen", "queens"], PERSON),
    noun(Feminine, ["sängerin", "sängerinnen"], ["singer", "singers"], PERSON),
    noun(Neuter, ["kind", "kinder"], ["child", "children"], PERSON),
    noun(Neuter, ["mädchen", "mädchen"], ["girl", "girls"], PERSON),
    noun(Neuter, ["paar", "paare"], ["couple", "couples"], PERSON),
    noun(Neuter, ["team", "teams"], ["team", "teams"], PERSON),

    noun(Masculine, ["hund", "hunde"], ["dog", "dogs"], ANIMAL | MOTIF),
    noun(Masculine, ["vogel", "vögel"], ["bird", "birds"], ANIMAL | MOTIF),
    noun(Feminine, ["katze", "katzen"], ["cat", "cats"], ANIMAL | MOTIF),
    noun(Feminine, ["kuh", "kühe"], ["cow", "cows"], ANIMAL | MOTIF),
    noun(Feminine, ["maus", "mäuse"], ["mouse", "mice"], ANIMAL | MOTIF),
    noun(Neuter, ["pferd", "pferde"], ["horse", "horses"], ANIMAL | MOTIF),
    noun(Neuter, ["schwein", "schweine"], ["pig", "pigs"], ANIMAL | MOTIF),
    noun(Neuter, ["kaninchen", "kaninchen"], ["rabbit", "rabbits"], ANIMAL | MOTIF),

    noun(Masculine, ["brief", "briefe"], ["letter", "letters"], TEXT | WORK | SMALL),
    noun(Feminine, ["zeitung", "zeitungen"], ["newspaper", "newspapers"], TEXT | SMALL),
    noun(Feminine, ["geschichte", "geschichten"], ["story", "stories"], TEXT | WORK),
    noun(Neuter, ["buch", "bücher"], ["book", "books"], TEXT | WORK | SMALL),
    noun(Neuter, ["gedicht", "gedichte"], ["poem", "poems"], TEXT | WORK),

    noun(Masculine, ["apfel", "äpfel"], ["apple", "apples"], FOOD),
    noun(Masculine, ["kuchen", "kuchen"], ["cake", "cakes"], FOOD),
    noun(Feminine, ["kartoffel", "kartoffeln"], ["potato", "potatoes"], FOOD | DISH),
    noun(Feminine, ["suppe", "suppen"], ["soup", "soups"], FOOD | DISH),
    noun(Neuter, ["ei", "eier"], ["egg", "eggs"], FOOD | DISH),
    only(Masculine, "käse", "cheese", FOOD),
    only(Masculine, "reis", "rice", FOOD | DISH),
    only(Neuter, "fleisch", "meat", FOOD | DISH),
    only(Neuter, "brot", "bread", FOOD),

    only(Masculine, "kaffee", "coffee", DRINK),
    only(Masculine, "tee", "tea", DRINK),
    only(Masculine, "saft", "juice", DRINK),
    only(Feminine, "milch", "milk", DRINK),
    only(Neuter, "wasser", "water", DRINK),

    noun(Masculine, ["hut", "hüte"], ["hat", "hats"], CLOTHES | SMALL),
    noun(Masculine, ["mantel", "mäntel"], ["coat", "coats"], CLOTHES),
    noun(Masculine, ["schuh", "schuhe"], ["shoe", "shoes"], CLOTHES | SMALL),
    noun(Feminine, ["jacke", "jacken"], ["jacket", "jackets"], CLOTHES | SMALL),
    noun(Neuter, ["hemd", "hemden"], ["shirt", "shirts"], CLOTHES | SMALL),
    noun(Neuter, ["kleid", "kleider"], ["dress", "dresses"], CLOTHES),

    noun(Masculine, ["tisch", "tische"], ["table", "tables"], THING | LARGE | SURFACE | MACHINE),
    noun(Masculine, ["stuhl", "stühle"], ["chair", "chairs"], THING | LARGE | SURFACE | MACHINE),
    noun(Masculine, ["ball", "bälle"], ["ball", "balls"], THING | SMALL),
    noun(Masculine, ["schlüssel", "schlüssel"], ["key", "keys"], THING | SMALL),
    noun(Masculine, ["koffer", "koffer"], ["suitcase", "suitcases"], THING | LARGE | OPENING),
    noun(Feminine, ["lampe", "lampen"], ["lamp", "lamps"], THING | LARGE | MACHINE),
    noun(Feminine, ["tasche", "taschen"], ["bag", "bags"], THING | SMALL | OPENING),
    noun(Feminine, ["uhr", "uhren"], ["clock", "clocks"], THING | SMALL | MACHINE),
    noun(Feminine, ["blume", "blumen"], ["flower", "flowers"], THING | MOTIF),
    noun(Feminine, ["tür", "türen"], ["door", "doors"], OPENING | LANDMARK | MACHINE),
    noun(Neuter, ["auto", "autos"], ["car", "cars"], THING | LARGE | MACHINE | LANDMARK),
    noun(Neuter, ["fahrrad", "fahrräder"], ["bicycle", "bicycles"], THING | LARGE | MACHINE),
    noun(Neuter, ["bild", "bilder"], ["picture", "pictures"], THING | SMALL | MOTIF),
    noun(Neuter, ["geschenk", "geschenke"], ["gift", "gifts"], THING | SMALL | OPENING),
    noun(Neuter, ["haus", "häuser"], ["house", "houses"], THING | MOTIF | LANDMARK),
    noun(Neuter, ["fenster", "fenster"], ["window", "windows"], OPENING | LANDMARK | MACHINE),

    only(Masculine, "garten", "garden", PLACE),
    only(Masculine, "park", "park", PLACE),
    only(Masculine, "wald", "forest", PLACE),
    only(Feminine, "küche", "kitchen", PLACE | ROOM),
    only(Feminine, "schule", "school", PLACE),
    only(Feminine, "stadt", "city", PLACE),
    only(Neuter, "zimmer", "room", PLACE | ROOM),
    only(Neuter, "büro", "office", PLACE | ROOM),
    only(Neuter, "dorf", "village", PLACE),
    only(Neuter, "museum", "museum", PLACE),
];

const NOUN_COUNT: usize = 77;
