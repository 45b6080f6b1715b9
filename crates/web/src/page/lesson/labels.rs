//! The region's own words in the lesson's language. Names of the page's controls stay English, as
//! they are on the page. `handing_in`: words of receipts, codes and pictures.

mod handing_in;

/// English words of the region with their translations.
const GERMAN: [(&str, &str); 103] = [
    ("done", "gemacht"),
    ("shown", "gezeigt"),
    ("skipped", "übersprungen"),
    ("Unfold the lesson", "Lektion aufklappen"),
    ("Fold the lesson", "Lektion zuklappen"),
    (
        "Leave the lesson: your own run comes back",
        "Lektion verlassen: Dein eigener Lauf kommt zurück",
    ),
    ("Free play", "Freies Spiel"),
    ("Step {} of {} ", "Schritt {} von {} "),
    (" Your guess: {}.", " Deine Schätzung: {}."),
    (" Measured: {}.", " Gemessen: {}."),
    (
        "Noticed.{}{} The explanation is in the lesson.",
        "Bemerkt.{}{} Die Erklärung steht in der Lektion.",
    ),
    (
        "Training ended before reaching the goal; see the lesson.",
        "Das Training ist zu Ende, aber nicht am Ziel: siehe Lektion.",
    ),
    (
        "There is a hint in the lesson.",
        "In der Lektion steht ein Hinweis.",
    ),
    ("The step is set up.", "Der Schritt ist vorbereitet."),
    ("The lesson is on its way.", "Die Lektion ist unterwegs."),
    (
        "There is no lesson “{}”. These there are:",
        "Es gibt keine Lektion „{}“, aber diese:",
    ),
    (
        "The lesson has no step “{}”. These there are:",
        "Die Lektion hat keinen Schritt „{}“, aber diese:",
    ),
    (
        "The lesson could not be fetched: reload the page when there is a network.",
        "Die Lektion konnte nicht geholt werden: Lade die Seite neu, wenn es ein Netz gibt.",
    ),
    ("Close", "Schließen"),
    ("Lesson", "Lektion"),
    ("Your guess", "Deine Schätzung"),
    ("Your guess: ", "Deine Schätzung: "),
    ("That is my guess", "Das schätze ich"),
    ("No guess", "Keine Schätzung"),
    (
        "Choose one of these; any guess will do.",
        "Wähle eine Antwort; jede ist recht.",
    ),
    (
        "Write a number; any guess will do.",
        "Schreibe eine Zahl; jede ist recht.",
    ),
    (
        "A share lies between 0 % and 100 %.",
        "Ein Anteil liegt zwischen 0 % und 100 %.",
    ),
    (
        "This step compares with another run of {} steps, which is trained first: ",
        "Dieser Schritt vergleicht mit einem anderen Lauf von {} Schritten, der zuerst trainiert wird: ",
    ),
    (
        "This step looks at a model after {} steps. It is being trained: ",
        "Dieser Schritt betrachtet ein Modell nach {} Schritten. Es wird trainiert: ",
    ),
    (
        "Steps taken for the set-up",
        "Schritte für die Vorbereitung",
    ),
    (
        "The experiment is being set up.",
        "Das Experiment wird vorbereitet.",
    ),
    (
        "This step could not be set up: {}",
        "Dieser Schritt konnte nicht vorbereitet werden: {}",
    ),
    ("Set up again", "Neu vorbereiten"),
    ("Go to {}", "Gehe zu: {}"),
    ("the picture", "das Bild"),
    ("the field for your text", "das Feld für deinen Text"),
    ("the answer", "die Antwort"),
    ("the words of the answer", "die Wörter der Antwort"),
    ("Fill it in: ", "Einsetzen: "),
    ("the curves", "die Kurven"),
    ("the setting", "die Einstellung"),
    ("the place", "die Stelle"),
    ("Measure", "Messen"),
    (
        "It trains: read on meanwhile.",
        "Es trainiert: Lies inzwischen weiter.",
    ),
    ("Show me", "Zeig es mir"),
    (
        "The loss is no longer a number, and the run has stopped. Begin again with the lesson's seed, or skip this step.",
        "Der Verlust ist keine Zahl mehr, und der Lauf ist stehen geblieben. Beginne neu mit dem Startwert der Lektion, oder überspringe diesen Schritt.",
    ),
    (
        "The run is at its end, after {} steps, and is not there. Train on, begin again, or skip this step.",
        "Der Lauf ist nach {} Schritten zu Ende und nicht am Ziel. Trainiere weiter, beginne neu, oder überspringe diesen Schritt.",
    ),
    ("Train {} more", "Noch {} trainieren"),
    ("Start again", "Neu beginnen"),
    (
        "Take the recorded model",
        "Das aufgezeichnete Modell nehmen",
    ),
    ("The answer", "Die Antwort"),
    ("Measured here", "Hier gemessen"),
    ("Right", "Richtig"),
    ("Not this time", "Diesmal nicht"),
    ("Off the mark", "Daneben"),
    ("{} times too high", "{}-mal zu hoch"),
    ("{} times too low", "{}-mal zu niedrig"),
    ("{} minutes, {} steps", "{} Minuten, {} Schritte"),
    (", {} met", ", {} davon erledigt"),
    ("; after ", "; nach "),
    ("Steps that you met", "Erledigte Schritte"),
    ("You know now", "Das weißt du jetzt"),
    ("Next lesson: ", "Nächste Lektion: "),
    ("{} of {} lessons done", "{} von {} Lektionen gemacht"),
    ("Back", "Zurück"),
    ("Next", "Weiter"),
    ("Skip", "Überspringen"),
    ("All steps", "Alle Schritte"),
    (
        "Alt with ← and → goes from step to step, F6 comes back here.",
        "Alt mit ← und → geht von Schritt zu Schritt, F6 kommt hierher zurück.",
    ),
    ("Start the lesson again", "Lektion neu beginnen"),
    ("All lessons", "Alle Lektionen"),
    ("{} of {} steps done", "{} von {} Schritten gemacht"),
    ("{} shown", "{} gezeigt"),
    ("{} skipped", "{} übersprungen"),
    ("Summary", "Zusammenfassung"),
    (
        "Summary to print or hand in",
        "Zusammenfassung zum Drucken oder Abgeben",
    ),
    (
        "Your guesses, the measured values, and a link that reproduces each.",
        "Deine Schätzungen, die gemessenen Werte und je ein Link, der sie wiederholt.",
    ),
    ("With answers, for teachers", "Mit Antworten, für Lehrende"),
    ("Print", "Drucken"),
    (
        "Your name (it stays on this machine)",
        "Dein Name (er bleibt auf diesem Rechner)",
    ),
    ("Back to the lesson", "Zurück zur Lektion"),
    ("not done yet", "noch nicht gemacht"),
    ("in {} s", "in {} s"),
    ("Measured", "Gemessen"),
    ("Numbers", "Zahlen"),
    ("no guess", "keine Schätzung"),
    ("The step again", "Der Schritt noch einmal"),
    ("Its experiment", "Sein Experiment"),
    ("Answer", "Antwort"),
    ("your run", "dein Lauf"),
    ("There is no lesson “{}”.", "Es gibt keine Lektion „{}“."),
    (
        "The summary is on its way.",
        "Die Zusammenfassung ist unterwegs.",
    ),
    ("The map in words:", "Die Karte in Worten:"),
    ("row {}: strongest {}, {}", "Zeile {}: am stärksten {}, {}"),
    ("Lessons", "Lektionen"),
    (
        "Each leads through the page: guess, do, see, read.",
        "Jede führt durch die Seite: schätzen, tun, sehen, lesen.",
    ),
    (
        "Save what was done to a file",
        "Gemachtes in eine Datei speichern",
    ),
    ("Load it", "Aus einer Datei laden"),
    ("A file of what was done", "Eine Datei mit Gemachtem"),
    (
        "Yes, delete all runs and lesson progress",
        "Ja, alle Läufe und allen Fortschritt löschen",
    ),
    (
        "Remove all that this page keeps",
        "Alles löschen, was diese Seite behält",
    ),
    (
        "What was done in {} lessons is taken in.",
        "Was in {} Lektionen gemacht wurde, ist aufgenommen.",
    ),
    (
        "This is not a progress file saved by Strata: choose a strata-lessons.json.",
        "Das ist keine von Strata gespeicherte Datei: Wähle eine strata-lessons.json.",
    ),
];

/// English words of the page for teachers with their translations.
const GERMAN_FOR_TEACHERS: [(&str, &str); 44] = [
    ("In class", "Im Unterricht"),
    ("In class: for teachers", "Im Unterricht: für Lehrende"),
    (
        "What to teach in which order, a link for everyone, and what came of it.",
        "Was in welcher Reihenfolge dran ist, ein Link für alle, und was dabei herauskam.",
    ),
    ("Elsewhere", "Anderswo"),
    ("The playground", "Die Werkstatt"),
    (
        "The list of lessons is on its way.",
        "Die Liste der Lektionen ist unterwegs.",
    ),
    (
        "The list of lessons could not be fetched: reload the page when there is a network.",
        "Die Liste der Lektionen konnte nicht geholt werden. Gibt es ein Netz, hilft es, die Seite neu zu laden.",
    ),
    ("Before", "Vorher"),
    ("During", "Währenddessen"),
    ("After", "Danach"),
    (
        "Everything runs in the browser of each learner. There are no accounts, no server computes, and nothing that learners do leaves their devices.",
        "Alles läuft im Browser der Lernenden. Es gibt keine Konten, kein Server rechnet, und nichts von dem, was sie tun, verlässt ihre Geräte.",
    ),
    (
        "Make a link below that has your lessons alone, and let everyone open it once while there is a network. From then on the page works without one.",
        "Machen Sie unten einen Link, der nur Ihre Lektionen enthält, und lassen Sie ihn alle einmal öffnen, solange es ein Netz gibt. Von da an geht die Seite auch ohne.",
    ),
    (
        "On a phone the lesson covers the lower half of the screen; its arrow folds it. A phone trains slowly: for steps that train, let two share a computer.",
        "Auf einem Telefon bedeckt die Lektion die untere Hälfte des Bildschirms; der Pfeil klappt sie zu. Ein Telefon trainiert langsam: Für Schritte mit Training teilen sich besser zwei einen Rechner.",
    ),
    (
        "Each step goes: guess, do, see, read. Let everyone guess before anyone presses a button. The page keeps the guess beside what was measured.",
        "Jeder Schritt geht so: schätzen, tun, sehen, lesen. Lassen Sie alle schätzen, bevor jemand einen Knopf drückt. Die Seite hält die Schätzung neben dem Gemessenen fest.",
    ),
    (
        "Ask for reasons before the measurement. Questions and answers of each lesson are in the last column below.",
        "Fragen Sie vor der Messung nach Gründen. Fragen und Antworten jeder Lektion stehen unten in der letzten Spalte.",
    ),
    ("Lessons in order", "Lektionen der Reihe nach"),
    ("after {}", "nach {}"),
    ("{} questions and answers", "{} Fragen und Antworten"),
    ("Minutes", "Minuten"),
    ("Aim", "Ziel"),
    ("To ask", "Zu fragen"),
    (
        "{} minutes in all. A number after a title is the place of the lesson that comes first.",
        "Zusammen {} Minuten. Eine Zahl nach einem Titel ist der Platz der Lektion, die vorher kommt.",
    ),
    ("A link for a class", "Ein Link für eine Klasse"),
    (
        "Lessons (leave empty for all)",
        "Lektionen (leer lassen für alle)",
    ),
    ("“Show me” is offered ", "„Zeig es mir“ wird angeboten: "),
    (
        "with the hint, after a minute or two wrong tries",
        "mit dem Hinweis, nach einer Minute oder zwei Fehlversuchen",
    ),
    ("always", "immer"),
    ("after two wrong tries", "nach zwei Fehlversuchen"),
    ("never", "nie"),
    (
        "Steps may be skipped",
        "Schritte dürfen übersprungen werden",
    ),
    (
        "Hidden panels; what a step needs is shown",
        "Verborgene Teile; was ein Schritt braucht, wird gezeigt",
    ),
    ("The link", "Der Link"),
    ("Copy the link", "Link kopieren"),
    (
        "See what the class will see",
        "Sehen, was die Klasse sehen wird",
    ),
    (
        "The link as a code for a phone's camera",
        "Der Link als Code für die Kamera eines Telefons",
    ),
    ("Copied.", "Kopiert."),
    (
        "The browser did not let the page copy: mark the link and copy it.",
        "Der Browser ließ die Seite nicht kopieren: Markieren Sie den Link und kopieren Sie ihn.",
    ),
    ("What was handed in", "Was abgegeben wurde"),
    ("Files of learners", "Dateien der Lernenden"),
    ("Learner", "Wer"),
    ("Together", "Zusammen"),
    ("{} did this step", "{} haben diesen Schritt gemacht"),
    ("{} of {} right", "{} von {} richtig"),
    ("most often wrong:", "am häufigsten falsch:"),
];

/// Returns words of the region in a language, or in English if there is no translation.
pub fn label(language: &str, english: &'static str) -> &'static str {
    let found = GERMAN
        .iter()
        .chain(&GERMAN_FOR_TEACHERS)
        .chain(&handing_in::WORDS)
        .find(|(known, _)| language == "de" && *known == english);
    found.map_or(english, |(_, german)| german)
}

/// Like [`label`], with each `{}` replaced by one of `parts`.
pub fn filled(language: &str, english: &'static str, parts: &[&str]) -> String {
    let mut pieces = label(language, english).split("{}");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for (at, piece) in pieces.enumerate() {
        text += parts.get(at).copied().unwrap_or_default();
        text += piece;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_translation_has_the_same_gaps_and_no_words_twice() {
        let mut known = BTreeSet::new();
        let all = GERMAN.iter().chain(&GERMAN_FOR_TEACHERS);
        for (english, german) in all.chain(&handing_in::WORDS) {
            let gaps = |text: &str| text.matches("{}").count();
            assert_eq!(gaps(english), gaps(german), "{english}");
            assert!(known.insert(english), "{english}");
        }
    }

    #[test]
    fn gaps_are_filled_in_order() {
        assert_eq!(filled("en", "Step {} of {} ", &["2", "7"]), "Step 2 of 7 ");
        assert_eq!(
            filled("de", "Step {} of {} ", &["2", "7"]),
            "Schritt 2 von 7 "
        );
        assert_eq!(label("fr", "Next"), "Next");
    }
}
