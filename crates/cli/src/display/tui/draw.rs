//! Draws the view.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::symbols::Marker;
use ratatui::text::Line;
use ratatui::widgets::{Axis, Block, Chart, Dataset, Gauge, GraphType, LegendPosition, Paragraph};

use super::state::{Curve, State};
use crate::base::peak_memory;
use crate::display::format::{decimal, duration, grouped, memory as bytes, percent};

const TRAINING: Color = Color::Cyan;
const VALIDATION: Color = Color::Yellow;
/// Number of lines with figures.
const FACTS: u16 = 6;
/// Height in lines below which charts are left out.
const LOWEST_CHART: u16 = 6;
const KEYS: &str = " q save and stop   p pause   v validate   s save ";

pub fn draw(frame: &mut Frame<'_>, state: &State) {
    let area = frame.area();
    let curves = Constraint::Min(if area.height >= FACTS + 2 + LOWEST_CHART {
        LOWEST_CHART
    } else {
        0
    });
    let [head, curves, facts, foot] = Layout::vertical([
        Constraint::Length(1),
        curves,
        Constraint::Length(FACTS),
        Constraint::Length(1),
    ])
    .areas(area);
    gauge(frame, head, state);
    if curves.height >= LOWEST_CHART {
        let [left, right] = Layout::horizontal([Constraint::Fill(1); 2]).areas(curves);
        let losses = state.validations.iter().map(|it| (it.step, it.loss));
        let losses = points(losses);
        // The loss falls, so the top right corner is free.
        let place = LegendPosition::TopRight;
        chart(frame, left, ("loss", place), &state.loss, &losses, state);
        let accuracies = state.validations.iter().map(|it| (it.step, it.accuracy));
        let accuracies = points(accuracies);
        let place = LegendPosition::BottomRight;
        let curve = &state.accuracy;
        chart(frame, right, ("accuracy", place), curve, &accuracies, state);
    }
    let [numbers, messages] = Layout::horizontal([Constraint::Max(56), Constraint::Min(0)])
        .spacing(2)
        .areas(facts);
    frame.render_widget(Paragraph::new(self::numbers(state)), numbers);
    frame.render_widget(Paragraph::new(last_messages(state, facts.height)), messages);
    frame.render_widget(Line::from(KEYS).reversed(), foot);
}

fn gauge(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let ratio = state.step as f64 / state.steps.max(1) as f64;
    let label = format!(
        "{} of {} steps, {}",
        grouped(state.step),
        grouped(state.steps),
        state.doing
    );
    let gauge = Gauge::default()
        .gauge_style(Style::new().fg(TRAINING).bg(Color::DarkGray))
        .ratio(ratio.clamp(0.0, 1.0))
        .label(label);
    frame.render_widget(gauge, area);
}

fn points(values: impl Iterator<Item = (u64, f64)>) -> Vec<(f64, f64)> {
    let finite = values.filter(|(_, value)| value.is_finite());
    finite.map(|(step, value)| (step as f64, value)).collect()
}

fn chart(
    frame: &mut Frame<'_>,
    area: Rect,
    (title, legend): (&str, LegendPosition),
    training: &Curve,
    validation: &[(f64, f64)],
    state: &State,
) {
    let all = || training.points.iter().chain(validation);
    let first = all().map(|point| point.0).fold(f64::MAX, f64::min);
    let first = first.min(state.step as f64);
    let last = (state.step as f64).max(first + 1.0);
    let highest = all().map(|point| point.1).fold(0.0, f64::max);
    let highest = if highest > 0.0 { highest } else { 1.0 };
    let line = |name, colour, points| {
        Dataset::default()
            .name(name)
            .marker(Marker::Braille)
            .graph_type(GraphType::Line)
            .style(Style::new().fg(colour))
            .data(points)
    };
    let dots = line("validation", VALIDATION, validation).graph_type(match validation.len() {
        1 => GraphType::Scatter,
        _ => GraphType::Line,
    });
    let chart = Chart::new(vec![line("training", TRAINING, &training.points), dots])
        .block(Block::bordered().title(title.to_owned()))
        .legend_position(Some(legend))
        .x_axis(
            Axis::default()
                .bounds([first, last])
                .labels([grouped(first as u64), grouped(last as u64)]),
        )
        .y_axis(Axis::default().bounds([0.0, highest]).labels([
            "0".to_owned(),
            decimal(highest / 2.0),
            decimal(highest),
        ]));
    frame.render_widget(chart, area);
}

fn numbers(state: &State) -> Vec<Line<'static>> {
    let recent = state.recent.means();
    let left = state.steps.saturating_sub(state.step) as f64;
    let last = state.recent.last();
    let fact = |name: &str, value: String| Line::from(format!("{name:<15}{value}"));
    let mut facts = vec![
        fact(
            "training",
            format!(
                "loss {}, accuracy {}",
                decimal(recent.loss),
                percent(recent.accuracy)
            ),
        )
        .fg(TRAINING),
    ];
    facts.extend(state.validations.last().map(|it| {
        let bleu = it.bleu.map(|bleu| format!(", BLEU {bleu:.1}"));
        let text = format!(
            "loss {}, accuracy {}{}",
            decimal(it.loss),
            percent(it.accuracy),
            bleu.unwrap_or_default()
        );
        fact("validation", text).fg(VALIDATION)
    }));
    facts.push(fact(
        "speed",
        format!("{} tokens/s", grouped(recent.tokens_per_second as u64)),
    ));
    facts.extend(last.map(|step| fact("learning rate", format!("{:.2e}", step.learning_rate))));
    facts.push(fact("time left", duration(left * recent.seconds_per_step)));
    facts.extend(peak_memory::peak().map(|peak| fact("memory at most", bytes(peak))));
    facts
}

fn last_messages(state: &State, lines: u16) -> Vec<Line<'_>> {
    let messages = state.messages.iter().rev().take(lines.into()).rev();
    messages.map(|line| Line::from(line.as_str())).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use strata_session::protocol::{StepReport, Validation};

    use super::*;

    fn state() -> State {
        let mut state = State::new(0, 400);
        let steps: Vec<StepReport> = (1..=200)
            .map(|step| StepReport {
                step,
                loss: 4.0 / step as f64,
                accuracy: step as f64 / 400.0,
                learning_rate: 1e-3,
                gradient_norm: 1.0,
                tokens: 1000,
                milliseconds: 500.0,
                overflows: 0,
            })
            .collect();
        state.steps(&steps);
        for step in [100, 200] {
            state.validated(&Validation {
                step,
                loss: 0.5,
                accuracy: 0.75,
                bleu: Some(27.25),
                ..Validation::default()
            });
        }
        state.say("a first message\nand a second");
        state
    }

    fn drawn(state: &State, width: u16, height: u16) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, state)).unwrap();
        let buffer = terminal.backend().buffer();
        let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect();
        (0..height).map(row).collect()
    }

    #[test]
    fn everything_is_there() {
        let screen = drawn(&state(), 120, 30).join("\n");
        for part in [
            "200 of 400 steps, training",
            "loss",
            "accuracy",
            "loss 0.500, accuracy 75.0 %",
            "2,000 tokens/s",
            "1.00e-3",
            "1 min 40 s",
            "a first message",
            "and a second",
            "q save and stop",
        ] {
            assert!(screen.contains(part), "{part} is missing:\n{screen}");
        }
        // Curves are drawn in Braille characters.
        let dots = screen
            .chars()
            .filter(|it| ('\u{2801}'..='\u{28ff}').contains(it));
        assert!(dots.count() > 100, "{screen}");
    }

    #[test]
    fn any_size_and_any_beginning_can_be_drawn() {
        for state in [state(), State::new(0, 0), State::new(7, 9)] {
            for (width, height) in [(1, 1), (20, 3), (40, 9), (80, 24), (200, 60)] {
                assert_eq!(drawn(&state, width, height).len(), usize::from(height));
            }
        }
        let small = drawn(&state(), 60, 9).join("\n");
        assert!(small.contains("2,000 tokens/s"), "{small}");
    }
}
