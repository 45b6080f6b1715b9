//! The region's own words in the lesson's language. Names of the page's controls stay English, as
//! they are on the page.

/// English words of the region with their translations.
const GERMAN: [(&str, &str); 94] = [
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
];

/// Returns words of the region in a language, or in English if there is no translation.
pub fn label(language: &str, english: &'static str) -> &'static str {
    let found = GERMAN
        .iter()
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

    #[test]
    fn a_translation_has_the_same_gaps_and_no_words_twice() {
        for (at, (english, german)) in GERMAN.iter().enumerate() {
            let gaps = |text: &str| text.matches("{}").count();
            assert_eq!(gaps(english), gaps(german), "{english}");
            assert!(
                GERMAN[..at].iter().all(|(known, _)| known != english),
                "{english}"
            );
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
