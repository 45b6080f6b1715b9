//! German words of receipts, codes and pictures of a class.

/// English words with their translations.
pub const WORDS: [(&str, &str); 73] = [
    (
        "All devices begin with the same seed, so their numbers agree up to rounding. To see what is chance, choose “Each learner gets another seed” for the link: the picture at the end of this page then shows how far runs of one experiment lie apart.",
        "Alle Geräte beginnen mit demselben Startwert, darum stimmen ihre Zahlen bis auf Rundung überein. Um zu sehen, was Zufall ist, wählen Sie für den Link „Alle Lernenden bekommen einen anderen Startwert“: Das Bild am Ende dieser Seite zeigt dann, wie weit Läufe eines Versuchs auseinanderliegen.",
    ),
    (
        "In the list of lessons, “Save what was done to a file” writes the file strata-lessons.json. Learners name the file as you agreed and hand it in. On devices without files, “Hand in” at the end of each lesson shows a code to copy, send or read out.",
        "In der Liste der Lektionen schreibt „Gemachtes in eine Datei speichern“ die Datei strata-lessons.json. Die Lernenden benennen sie wie vereinbart und geben sie ab. Auf Geräten ohne Dateien zeigt „Abgeben“ am Ende jeder Lektion einen Code zum Kopieren, Senden oder Vorlesen.",
    ),
    (
        "Give all files and codes to this page: a table shows who guessed what at which step, and which wrong guess was the most frequent.",
        "Geben Sie alle Dateien und Codes dieser Seite: Eine Tabelle zeigt, wer bei welchem Schritt was geschätzt hat und welche falsche Schätzung die häufigste war.",
    ),
    (
        "Files and codes have a receipt of each run that a step has trained. This page can train these runs again and say which are what they are said to be, and it draws all of them as seeds of one experiment.",
        "Dateien und Codes haben einen Beleg für jeden Lauf, den ein Schritt trainiert hat. Diese Seite kann diese Läufe noch einmal trainieren und sagen, welche sind, was sie sein sollen, und sie zeichnet alle als Startwerte eines Versuchs.",
    ),
    (
        "Each learner gets another seed",
        "Alle Lernenden bekommen einen anderen Startwert",
    ),
    (
        "so that a class sees what is chance; recorded models are of the lesson’s seed, so looking at a trained model may take longer",
        "damit eine Klasse sieht, was Zufall ist; aufgezeichnete Modelle haben den Startwert der Lektion, darum kann es länger dauern, bis ein trainiertes Modell zu sehen ist",
    ),
    (
        "Files and codes are read in this page alone: nothing is sent, and nothing is kept after you leave.",
        "Dateien und Codes werden nur in dieser Seite gelesen: Nichts wird gesendet, und nichts bleibt, wenn Sie gehen.",
    ),
    (
        "The first {} files and codes are read.",
        "Die ersten {} Dateien und Codes werden gelesen.",
    ),
    (
        "No progress file saved by Strata: {}. Ask for the file that “Save what was done to a file” writes.",
        "Keine von Strata gespeicherte Datei: {}. Bitten Sie um die Datei, die „Gemachtes in eine Datei speichern“ schreibt.",
    ),
    (
        "These lessons could not be fetched: {}. Choose the files again when there is a network.",
        "Diese Lektionen konnten nicht geholt werden: {}. Wählen Sie die Dateien noch einmal, wenn es ein Netz gibt.",
    ),
    (
        "Nothing of these lessons was done in: {}.",
        "Nichts aus diesen Lektionen wurde gemacht in: {}.",
    ),
    ("Code {}", "Code {}"),
    (
        "{}: letters of the code are missing or wrong; compare it letter by letter.",
        "{}: Buchstaben des Codes fehlen oder sind falsch; vergleichen Sie ihn Buchstabe für Buchstabe.",
    ),
    (
        "{}: the code is of a lesson that this page does not have.",
        "{}: Der Code gehört zu einer Lektion, die diese Seite nicht hat.",
    ),
    (
        "{}: the code is of another version of the lesson.",
        "{}: Der Code gehört zu einer anderen Fassung der Lektion.",
    ),
    (
        "The very same was handed in by: {}.",
        "Genau dasselbe wurde abgegeben von: {}.",
    ),
    (
        "Done in another version of the lesson, and so neither shown nor checked: {}.",
        "In einer anderen Fassung der Lektion gemacht und darum weder gezeigt noch geprüft: {}.",
    ),
    ("step {}: {}", "Schritt {}: {}"),
    ("not checked yet", "noch nicht geprüft"),
    ("the same", "derselbe"),
    ("near", "nah"),
    ("not so", "nicht so"),
    ("cannot be checked", "nicht prüfbar"),
    ("{}, “{}”: {}", "{}, „{}“: {}"),
    (
        "the training loss after step {} is {} in what was handed in, and {} here.",
        "Der Trainingsverlust nach Schritt {} ist {} in der Abgabe und {} hier.",
    ),
    (
        "the loss on new examples after step {} is {} in what was handed in, and {} here.",
        "Der Verlust auf neuen Beispielen nach Schritt {} ist {} in der Abgabe und {} hier.",
    ),
    (
        "the accuracy on new examples after step {} is {} in what was handed in, and {} here.",
        "Die Trefferquote auf neuen Beispielen nach Schritt {} ist {} in der Abgabe und {} hier.",
    ),
    (
        "the parameters are others, and there is no loss to compare.",
        "Die Parameter sind andere, und es gibt keinen Verlust zum Vergleichen.",
    ),
    (
        "the receipt of the run cannot be read.",
        "Der Beleg des Laufs ist nicht lesbar.",
    ),
    (
        "the run is of an experiment that is not in the lesson.",
        "Der Lauf gehört zu einem Versuch, den die Lektion nicht hat.",
    ),
    (
        "the run has far more steps than that of the lesson.",
        "Der Lauf hat weit mehr Schritte als der der Lektion.",
    ),
    (
        "the run could not be repeated: {}.",
        "Der Lauf ließ sich nicht wiederholen: {}.",
    ),
    (
        "the run could not be repeated.",
        "Der Lauf ließ sich nicht wiederholen.",
    ),
    (
        "Codes of learners, one a line, each behind a name or number",
        "Codes der Lernenden, einer je Zeile, jeder hinter einem Namen oder einer Nummer",
    ),
    ("Read the codes", "Codes lesen"),
    (
        "Each run is trained again here from its address and seed. “The same”: every bit of the parameters agrees. “Near”: losses agree as far as those of two processors do, up to step {} within {} of the first loss, then within {}. “Not so”: they do not. Guesses are not checked.",
        "Jeder Lauf wird hier aus seiner Adresse und seinem Startwert noch einmal trainiert. „Derselbe“: jedes Bit der Parameter stimmt überein. „Nah“: Verluste stimmen so weit überein wie die zweier Prozessoren, bis Schritt {} auf {} des ersten Verlusts, danach auf {}. „Nicht so“: sie tun es nicht. Schätzungen werden nicht geprüft.",
    ),
    (
        "Run {} of {}: step {} of {}.",
        "Lauf {} von {}: Schritt {} von {}.",
    ),
    ("Stop", "Anhalten"),
    (
        "Check {} hand-ins ({} different runs)",
        "{} Abgaben prüfen ({} verschiedene Läufe)",
    ),
    ("Check one run", "Einen Lauf prüfen"),
    (
        "Check {} hand-ins of one run",
        "{} Abgaben eines Laufs prüfen",
    ),
    ("one seed", "ein Startwert"),
    (
        "Not drawn, for the run came out otherwise when it was repeated: {}.",
        "Nicht gezeichnet, weil der Lauf bei der Wiederholung anders ausging: {}.",
    ),
    ("no receipt of a run", "kein Beleg eines Laufs"),
    (
        "{} checked: {} the same, {} near, {} not so, {} cannot be checked.",
        "{} geprüft: {} derselbe, {} nah, {} nicht so, {} nicht prüfbar.",
    ),
    ("All runs in one picture", "Alle Läufe in einem Bild"),
    ("Step", "Schritt"),
    ("Drawn", "Gezeichnet"),
    (
        "Accuracy on new examples",
        "Trefferquote auf neuen Beispielen",
    ),
    ("Loss on new examples", "Verlust auf neuen Beispielen"),
    (
        "Loss of single training steps",
        "Verlust einzelner Trainingsschritte",
    ),
    (
        "{}, after step {}: n = {} seeds, mean {} ± {} (standard deviation), from {} to {}.",
        "{}, nach Schritt {}: n = {} Startwerte, Mittel {} ± {} (Standardabweichung), von {} bis {}.",
    ),
    (
        "{}, after step {}: {}. That is one seed, so nothing can be said of chance; “Each learner gets another seed” is among the choices of the link above.",
        "{}, nach Schritt {}: {}. Das ist ein einziger Startwert, darum lässt sich über Zufall nichts sagen; „Alle Lernenden bekommen einen anderen Startwert“ steht oben beim Link zur Wahl.",
    ),
    (
        "{} hand-ins have {} different seeds: runs of one seed count once.",
        "{} Abgaben haben {} verschiedene Startwerte: Läufe eines Startwerts zählen einmal.",
    ),
    (
        "Not drawn, for they have trained another experiment: {}.",
        "Nicht gezeichnet, weil ein anderer Versuch trainiert wurde: {}.",
    ),
    (
        "Not drawn, for what was handed in cannot be read, or has values that no run has: {}.",
        "Nicht gezeichnet, weil die Abgabe nicht lesbar ist oder Werte hat, die kein Lauf hat: {}.",
    ),
    ("training steps", "Trainingsschritte"),
    ("each of {} seeds", "jeder von {} Startwerten"),
    ("mean", "Mittel"),
    ("95 % interval of the mean", "95-%-Intervall des Mittels"),
    ("Package for SCORM 1.2", "Paket für SCORM 1.2"),
    ("Package for SCORM 2004", "Paket für SCORM 2004"),
    ("The whole page", "Die ganze Seite"),
    (
        "Upload it as an activity “SCORM package” to Moodle, ILIAS or another platform: each lesson is a module that reports how many steps were done.",
        "Laden Sie es als Aktivität „SCORM-Paket“ in Moodle, ILIAS oder eine andere Plattform: Jede Lektion ist ein Modul, das meldet, wie viele Schritte gemacht wurden.",
    ),
    (
        "The same for platforms that ask for SCORM 2004; if yours takes both, take 1.2.",
        "Dasselbe für Plattformen, die SCORM 2004 verlangen; nimmt Ihre beide, nehmen Sie 1.2.",
    ),
    (
        "Unpack it onto any web server, or onto a machine without a network; README.txt in it has the one command.",
        "Entpacken Sie es auf einen beliebigen Webserver oder auf einen Rechner ohne Netz; README.txt darin nennt den einen Befehl.",
    ),
    ("{} ({})", "{} ({})"),
    ("To take along", "Zum Mitnehmen"),
    ("Hand in", "Abgeben"),
    (
        "If your class hands in what was done: save the file, or copy the code and send it. Both hold your guesses, what was measured, and what your runs came to; no name.",
        "Wenn deine Klasse abgibt, was gemacht wurde: Speichere die Datei, oder kopiere den Code und sende ihn. Beide enthalten deine Schätzungen, das Gemessene und das, wozu deine Läufe kamen; keinen Namen.",
    ),
    ("Save as a file", "Als Datei speichern"),
    ("Copy the code", "Code kopieren"),
    (
        "The browser did not let the page copy: mark the code and copy it.",
        "Der Browser ließ die Seite nicht kopieren: Markiere den Code und kopiere ihn.",
    ),
];
