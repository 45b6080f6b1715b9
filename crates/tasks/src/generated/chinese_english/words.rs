//! The lexicon of the toy Chinese: nouns with their measure words, verbs, adjectives, places,
//! times.

/// Set of kinds of nouns, as bits; a verb or an adjective goes with some kinds.
pub(super) type Kinds = u16;

pub(super) const PERSON: Kinds = 1;
pub(super) const ANIMAL: Kinds = 1 << 1;
pub(super) const FOOD: Kinds = 1 << 2;
pub(super) const DRINK: Kinds = 1 << 3;
pub(super) const TEXT: Kinds = 1 << 4;
pub(super) const CLOTHES: Kinds = 1 << 5;
pub(super) const VEHICLE: Kinds = 1 << 6;
pub(super) const THING: Kinds = 1 << 7;
pub(super) const MACHINE: Kinds = 1 << 8;
/// Portable things.
pub(super) const HANDY: Kinds = TEXT | CLOTHES | THING;
const GOODS: Kinds = HANDY | VEHICLE | MACHINE | FOOD | DRINK;
const ANYTHING: Kinds = GOODS | PERSON | ANIMAL;

/// A noun with its measure word: `书` is counted by `本`, as in `一 本 书`, a book.
#[derive(Debug)]
pub(super) struct Noun {
    pub(super) chinese: &'static str,
    pub(super) measure: &'static str,
    pub(super) english: &'static str,
    pub(super) plural: &'static str,
    pub(super) kind: Kinds,
    /// True if adjectives may describe the noun; false if English uses a measure, too
    /// (`a cup of tea`).
    pub(super) is_described: bool,
}

const fn noun(
    chinese: &'static str,
    measure: &'static str,
    [english, plural]: [&'static str; 2],
    kind: Kinds,
) -> Noun {
    Noun {
        chinese,
        measure,
        english,
        plural,
        kind,
        is_described: kind & (FOOD | DRINK) == 0,
    }
}

pub(super) const NOUNS: &[Noun] = &[
    noun("老师", "个", ["teacher", "teachers"], PERSON),
    noun("学生", "个", ["student", "students"], PERSON),
    noun("朋友", "个", ["friend", "friends"], PERSON),
    noun("孩子", "个", ["child", "children"], PERSON),
    noun("男孩", "个", ["boy", "boys"], PERSON),
    noun("女孩", "个", ["girl", "girls"], PERSON),
    noun("医生", "位", ["doctor", "doctors"], PERSON),
    noun("司机", "位", ["driver", "drivers"], PERSON),
    noun("警察", "位", ["policeman", "policemen"], PERSON),
    noun("邻居", "位", ["neighbour", "neighbours"], PERSON),
    noun("客人", "位", ["guest", "guests"], PERSON),
    noun("经理", "位", ["manager", "managers"], PERSON),
    noun("同学", "个", ["classmate", "classmates"], PERSON),
    noun("同事", "个", ["colleague", "colleagues"], PERSON),
    noun("农民", "个", ["farmer", "farmers"], PERSON),
    noun("歌手", "位", ["singer", "singers"], PERSON),
    noun("猫", "只", ["cat", "cats"], ANIMAL),
    noun("狗", "条", ["dog", "dogs"], ANIMAL),
    noun("鸟", "只", ["bird", "birds"], ANIMAL),
    noun("马", "匹", ["horse", "horses"], ANIMAL),
    noun("牛", "头", ["cow", "cows"], ANIMAL),
    noun("猪", "头", ["pig", "pigs"], ANIMAL),
    noun("兔子", "只", ["rabbit", "rabbits"], ANIMAL),
    noun("苹果", "个", ["apple", "apples"], FOOD),
    noun("鸡蛋", "个", ["egg", "eggs"], FOOD),
    noun("橙子", "个", ["orange", "oranges"], FOOD),
    noun("包子", "个", ["dumpling", "dumplings"], FOOD),
    noun("香蕉", "根", ["banana", "bananas"], FOOD),
    noun("米饭", "碗", ["bowl of rice", "bowls of rice"], FOOD),
    noun("面条", "碗", ["bowl of noodles", "bowls of noodles"], FOOD),
    noun("汤", "碗", ["bowl of soup", "bowls of soup"], FOOD),
    noun("面包", "块", ["piece of bread", "pieces of bread"], FOOD),
    noun("蛋糕", "块", ["piece of cake", "pieces of cake"], FOOD),
    noun("茶", "杯", ["cup of tea", "cups of tea"], DRINK),
    noun("咖啡", "杯", ["cup of coffee", "cups of coffee"], DRINK),
    noun("牛奶", "杯", ["cup of milk", "cups of milk"], DRINK),
    noun("水", "瓶", ["bottle of water", "bottles of water"], DRINK),
    noun("啤酒", "瓶", ["bottle of beer", "bottles of beer"], DRINK),
    noun("果汁", "瓶", ["bottle of juice", "bottles of juice"], DRINK),
    noun("书", "本", ["book", "books"], TEXT),
    noun("词典", "本", ["dictionary", "dictionaries"], TEXT),
    noun("杂志", "本", ["magazine", "magazines"], TEXT),
    noun("小说", "本", ["novel", "novels"], TEXT),
    noun("信", "封", ["letter", "letters"], TEXT),
    noun("报纸", "份", ["newspaper", "newspapers"], TEXT),
    noun("文章", "篇", ["article", "articles"], TEXT),
    noun("衬衫", "件", ["shirt", "shirts"], CLOTHES),
    noun("大衣", "件", ["coat", "coats"], CLOTHES),
    noun("毛衣", "件", ["sweater", "sweaters"], CLOTHES),
    noun("裙子", "条", ["skirt", "skirts"], CLOTHES),
    noun("围巾", "条", ["scarf", "scarves"], CLOTHES),
    noun("帽子", "顶", ["hat", "hats"], CLOTHES),
    noun("汽车", "辆", ["car", "cars"], VEHICLE),
    noun("自行车", "辆", ["bicycle", "bicycles"], MACHINE),
    noun("卡车", "辆", ["truck", "trucks"], VEHICLE),
    noun("船", "艘", ["ship", "ships"], VEHICLE),
    noun("电脑", "台", ["computer", "computers"], MACHINE),
    noun("电视", "台", ["television", "televisions"], MACHINE),
    noun("照相机", "台", ["camera", "cameras"], MACHINE),
    noun("手机", "部", ["telephone", "telephones"], MACHINE),
    noun("笔", "支", ["pen", "pens"], THING),
    noun("刀", "把", ["knife", "knives"], THING),
    noun("伞", "把", ["umbrella", "umbrellas"], THING),
    noun("钥匙", "把", ["key", "keys"], THING),
    noun("地图", "张", ["map", "maps"], THING),
    noun("照片", "张", ["photograph", "photographs"], THING),
    noun("票", "张", ["ticket", "tickets"], THING),
    noun("花", "朵", ["flower", "flowers"], THING),
    noun("礼物", "份", ["present", "presents"], THING),
    noun("杯子", "个", ["glass", "glasses"], THING),
    noun("包", "个", ["bag", "bags"], THING),
];

/// A verb and the kinds of its objects.
#[derive(Debug)]
pub(super) struct Verb {
    pub(super) chinese: &'static str,
    /// Infinitive; the words after its first space also follow the other forms.
    pub(super) base: &'static str,
    pub(super) third: &'static str,
    pub(super) past: &'static str,
    /// Kinds of the verb's objects; 0 if the verb has no object.
    pub(super) objects: Kinds,
    /// True if the verb is a state, which is never completed and so has no `了`.
    pub(super) is_state: bool,
}

const fn verb(
    chinese: &'static str,
    [base, third, past]: [&'static str; 3],
    objects: Kinds,
) -> Verb {
    Verb {
        chinese,
        base,
        third,
        past,
        objects,
        is_state: false,
    }
}

const fn state(chinese: &'static str, forms: [&'static str; 3], objects: Kinds) -> Verb {
    Verb {
        is_state: true,
        ..verb(chinese, forms, objects)
    }
}

pub(super) const VERBS: &[Verb] = &[
    verb("看见", ["see", "sees", "saw"], ANYTHING),
    verb("买", ["buy", "buys", "bought"], GOODS | ANIMAL),
    verb("卖", ["sell", "sells", "sold"], GOODS | ANIMAL),
    verb("吃", ["eat", "eats", "ate"], FOOD),
    verb("做", ["make", "makes", "made"], FOOD),
    verb("喝", ["drink", "drinks", "drank"], DRINK),
    verb("读", ["read", "reads", "read"], TEXT),
    verb("写", ["write", "writes", "wrote"], TEXT),
    verb("洗", ["wash", "washes", "washed"], CLOTHES | VEHICLE),
    verb("穿", ["wear", "wears", "wore"], CLOTHES),
    verb("开", ["drive", "drives", "drove"], VEHICLE),
    verb("修", ["repair", "repairs", "repaired"], VEHICLE | MACHINE),
    verb("用", ["use", "uses", "used"], MACHINE | THING),
    verb(
        "检查",
        ["check", "checks", "checked"],
        VEHICLE | MACHINE | TEXT,
    ),
    verb("拿", ["take", "takes", "took"], HANDY),
    verb("带", ["bring", "brings", "brought"], HANDY | FOOD | DRINK),
    verb("丢", ["lose", "loses", "lost"], HANDY),
    verb(
        "找",
        ["look for", "looks for", "looked for"],
        HANDY | PERSON | ANIMAL,
    ),
    verb("找到", ["find", "finds", "found"], HANDY | PERSON | ANIMAL),
    verb("选", ["choose", "chooses", "chose"], GOODS),
    verb(
        "画",
        ["paint", "paints", "painted"],
        PERSON | ANIMAL | VEHICLE,
    ),
    verb("帮助", ["help", "helps", "helped"], PERSON),
    verb("等", ["wait for", "waits for", "waited for"], PERSON),
    verb("问", ["ask", "asks", "asked"], PERSON),
    verb("拜访", ["visit", "visits", "visited"], PERSON),
    verb("邀请", ["invite", "invites", "invited"], PERSON),
    verb("感谢", ["thank", "thanks", "thanked"], PERSON),
    verb(
        "照顾",
        ["look after", "looks after", "looked after"],
        PERSON | ANIMAL,
    ),
    verb("忘记", ["forget", "forgets", "forgot"], PERSON | TEXT),
    state("喜欢", ["like", "likes", "liked"], ANYTHING),
    state("需要", ["need", "needs", "needed"], GOODS),
    state("认识", ["know", "knows", "knew"], PERSON),
    state("爱", ["love", "loves", "loved"], PERSON | ANIMAL),
    state("讨厌", ["hate", "hates", "hated"], ANYTHING),
    state(
        "记得",
        ["remember", "remembers", "remembered"],
        PERSON | TEXT,
    ),
    state("想念", ["miss", "misses", "missed"], PERSON),
    state("相信", ["trust", "trusts", "trusted"], PERSON),
    state("有", ["have", "has", "had"], GOODS | ANIMAL),
    verb("睡觉", ["sleep", "sleeps", "slept"], 0),
    verb("跑步", ["run", "runs", "ran"], 0),
    verb("工作", ["work", "works", "worked"], 0),
    verb("休息", ["rest", "rests", "rested"], 0),
    verb("唱歌", ["sing", "sings", "sang"], 0),
    verb("跳舞", ["dance", "dances", "danced"], 0),
    verb("游泳", ["swim", "swims", "swam"], 0),
    verb("学习", ["study", "studies", "studied"], 0),
    verb("做饭", ["cook", "cooks", "cooked"], 0),
    verb("哭", ["cry", "cries", "cried"], 0),
    verb("笑", ["laugh", "laughs", "laughed"], 0),
];

/// Verbs of putting, with the object before the verb: `把 书 放 在 桌子 上`.
pub(super) const PUTTING: &[Verb] = &[
    verb("放", ["put", "puts", "put"], HANDY),
    verb("留", ["leave", "leaves", "left"], HANDY),
    verb("藏", ["hide", "hides", "hid"], HANDY),
];

/// Verbs of giving: `给 他 一 本 书`, and with `给` behind the verb: `寄 给 他 一 封 信`.
pub(super) const GIVING: &[Verb] = &[
    verb("给", ["give", "gives", "gave"], HANDY | FOOD | DRINK),
    verb("寄 给", ["send", "sends", "sent"], TEXT | CLOTHES),
    verb("借 给", ["lend", "lends", "lent"], TEXT | VEHICLE | MACHINE),
    verb("卖 给", ["sell", "sells", "sold"], VEHICLE | MACHINE),
];

/// The verb of going somewhere.
pub(super) const GO: Verb = verb("去", ["go", "goes", "went"], 0);

/// An adjective, and the kinds of nouns that it describes.
#[derive(Debug)]
pub(super) struct Adjective {
    pub(super) chinese: &'static str,
    pub(super) english: &'static str,
    pub(super) comparative: &'static str,
    pub(super) kinds: Kinds,
}

const fn adjective(
    chinese: &'static str,
    english: &'static str,
    comparative: &'static str,
    kinds: Kinds,
) -> Adjective {
    Adjective {
        chinese,
        english,
        comparative,
        kinds,
    }
}

const MADE: Kinds = HANDY | VEHICLE | MACHINE;

pub(super) const ADJECTIVES: &[Adjective] = &[
    adjective("新", "new", "newer", MADE),
    adjective("旧", "old", "older", MADE),
    adjective("大", "big", "bigger", MADE | ANIMAL),
    adjective("小", "small", "smaller", MADE | ANIMAL),
    adjective("贵", "expensive", "more expensive", MADE),
    adjective("便宜", "cheap", "cheaper", MADE),
    adjective(
        "漂亮",
        "beautiful",
        "more beautiful",
        MADE | ANIMAL | PERSON,
    ),
    adjective("重", "heavy", "heavier", MADE),
    adjective("有意思", "interesting", "more interesting", TEXT),
    adjective("长", "long", "longer", TEXT | CLOTHES),
    adjective("高", "tall", "taller", PERSON),
    adjective("年轻", "young", "younger", PERSON),
    adjective("聪明", "clever", "cleverer", PERSON | ANIMAL),
    adjective("高兴", "happy", "happier", PERSON),
    adjective("累", "tired", "more tired", PERSON | ANIMAL),
    adjective("忙", "busy", "busier", PERSON),
    adjective("饿", "hungry", "hungrier", PERSON | ANIMAL),
    adjective("有名", "famous", "more famous", PERSON),
    adjective("友好", "friendly", "friendlier", PERSON | ANIMAL),
    adjective("懒", "lazy", "lazier", PERSON | ANIMAL),
    adjective("强", "strong", "stronger", PERSON | ANIMAL),
];

/// Colours, which have no degrees: `红 的 车`, never `很 红`.
pub(super) const COLOURS: &[(&str, &str)] = &[
    ("红", "red"),
    ("白", "white"),
    ("黑", "black"),
    ("蓝", "blue"),
    ("绿", "green"),
    ("黄", "yellow"),
];

/// Places: in Chinese, in English as the place of an action, and as a destination.
pub(super) const PLACES: &[[&str; 3]] = &[
    ["家", "at home", "home"],
    ["学校", "at school", "to school"],
    ["办公室", "in the office", "to the office"],
    ["图书馆", "in the library", "to the library"],
    ["公园", "in the park", "to the park"],
    ["医院", "in the hospital", "to the hospital"],
    ["商店", "in the shop", "to the shop"],
    ["厨房", "in the kitchen", "to the kitchen"],
    ["花园", "in the garden", "to the garden"],
    ["饭馆", "in the restaurant", "to the restaurant"],
    ["机场", "at the airport", "to the airport"],
    ["火车站", "at the station", "to the station"],
    ["市场", "at the market", "to the market"],
    ["教室", "in the classroom", "to the classroom"],
    ["海边", "at the seaside", "to the seaside"],
    ["北京", "in beijing", "to beijing"],
    ["上海", "in shanghai", "to shanghai"],
    ["中国", "in china", "to china"],
    ["英国", "in england", "to england"],
];

/// Means of travel: before the verb in Chinese, last in English.
pub(super) const MEANS: &[(&str, &str)] = &[
    ("坐 火车", "by train"),
    ("坐 公共汽车", "by bus"),
    ("坐 飞机", "by plane"),
    ("坐 出租车", "by taxi"),
    ("骑 自行车", "by bicycle"),
    ("走路", "on foot"),
];

pub(super) const FURNITURE: &[(&str, &str)] = &[
    ("桌子", "table"),
    ("床", "bed"),
    ("椅子", "chair"),
    ("盒子", "box"),
    ("箱子", "suitcase"),
    ("冰箱", "refrigerator"),
    ("门", "door"),
    ("沙发", "sofa"),
];

/// Locations relative to a noun: after it in Chinese, before it in English.
pub(super) const SIDES: &[(&str, &str)] = &[
    ("上", "on"),
    ("里", "in"),
    ("下面", "under"),
    ("旁边", "beside"),
    ("后面", "behind"),
];

/// Tense of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tense {
    Present,
    Past,
    Future,
}

pub(super) const TIMES: &[(&str, &str, Tense)] = &[
    ("昨天", "yesterday", Tense::Past),
    ("去年", "last year", Tense::Past),
    ("上 个 星期", "last week", Tense::Past),
    ("刚才", "just now", Tense::Past),
    ("明天", "tomorrow", Tense::Future),
    ("明年", "next year", Tense::Future),
    ("下 个 星期", "next week", Tense::Future),
    ("每天", "every day", Tense::Present),
    ("现在", "now", Tense::Present),
    ("晚上", "in the evening", Tense::Present),
    ("早上", "in the morning", Tense::Present),
];

/// Modal verbs: Chinese, English, and English in the third person.
pub(super) const MODALS: &[[&str; 3]] = &[
    ["能", "can", "can"],
    ["可以", "may", "may"],
    ["应该", "should", "should"],
    ["想", "want to", "wants to"],
    ["打算", "plan to", "plans to"],
];

/// Pronouns: in Chinese, in English as subject, as object, and as possessive.
pub(super) const PRONOUNS: &[[&str; 4]] = &[
    ["我", "i", "me", "my"],
    ["你", "you", "you", "your"],
    ["他", "he", "him", "his"],
    ["她", "she", "her", "her"],
    ["我们", "we", "us", "our"],
    ["他们", "they", "them", "their"],
];

pub(super) const NUMBERS: &[(&str, &str)] = &[
    ("两", "two"),
    ("三", "three"),
    ("四", "four"),
    ("五", "five"),
    ("六", "six"),
    ("十", "ten"),
];
