//! The frame of a page, and the parts of its contents.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use strata_drawing::Drawing;

use super::paint::{Paint, STYLE};

const LAYOUT: &str = "\
body{margin:0 auto;max-width:60rem;padding:1rem 1.25rem 3rem;background:var(--ground);color:var(--ink);\
font:16px/1.5 system-ui,sans-serif}\
h1,h2{line-height:1.25}.soft{color:var(--soft)}\
.wide{overflow-x:auto;box-sizing:border-box;width:max-content;min-width:100%;max-width:calc(100vw - 2.5rem);\
position:relative;left:50%;transform:translateX(-50%)}\
tbody th{min-width:8rem}@media(min-width:40rem){tbody th{min-width:11rem}}\
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}\
th,td{padding:.3rem .7rem;border-bottom:1px solid var(--faint);text-align:right;vertical-align:top}\
th:first-child,td:first-child,.texts :is(th,td){text-align:left}\
.texts td:nth-child(n+3){min-width:14rem}\
td span{white-space:nowrap}td span+span{display:block;color:var(--soft)}\
.many table{font-size:.75rem}.many :is(th,td){padding:.25rem .4rem}\
th,p,li,summary{overflow-wrap:anywhere}thead th{overflow-wrap:normal}\
.chart{overflow-x:auto}\
svg{width:100%;min-width:40rem;height:auto;margin:1rem 0;display:block}\
.drawn svg{width:auto;min-width:0}\
pre{overflow-x:auto;padding:.75rem;border:1px solid var(--faint);font-size:.8rem}\
summary{cursor:pointer}";

/// Most characters of a cell that counts as a figure, and does not break.
const FIGURE: usize = 24;

/// Writes a whole page.
pub fn page(title: &str, body: &Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) (PreEscaped(LAYOUT)) }
            }
            body { main { h1 { (title) } (body) } }
        }
    }
    .into_string()
}

/// Writes a table; each cell has a text, and a tooltip.
pub fn table(head: &[String], rows: &[Vec<(String, String)>]) -> Markup {
    // With many columns, the style sheet sets them closer.
    let class = if head.len() > 9 { "wide many" } else { "wide" };
    html! {
        div class=(class) tabindex="0" role="region" aria-label="Table" {
            table {
                thead { tr { @for cell in head { th scope="col" { (cell) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (at, (cell, note)) in row.iter().enumerate() {
                                @if at == 0 { th scope="row" title=[non_empty(note)] { (cell) } }
                                @else { td title=[non_empty(note)] { (lines(cell)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Writes a figure with its interval below; neither breaks.
pub fn figure((figure, interval): &(String, String)) -> Markup {
    html! {
        span { (figure) }
        @if !interval.is_empty() { " " span { (interval) } }
    }
}

/// Writes the cell of a figure, with its interval, in brackets, on a line of its own. A long text
/// may break.
fn lines(cell: &str) -> Markup {
    match cell.split_once(" [") {
        Some((before, interval)) => figure(&(before.to_owned(), format!("[{interval}"))),
        None if cell.chars().count() <= FIGURE => figure(&(cell.to_owned(), String::new())),
        None => html! { (cell) },
    }
}

/// Writes a text in which parts between back-ticks become code.
pub fn with_code(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn non_empty(note: &str) -> Option<&str> {
    (!note.is_empty()).then_some(note)
}

/// Writes a picture.
pub fn picture(drawing: &Drawing<Paint>) -> Markup {
    html! {
        div class="chart" tabindex="0" role="group" aria-label=(drawing.title) { (PreEscaped(drawing.svg(Paint::Clear))) }
    }
}

/// Writes a finished SVG picture at natural size.
pub fn drawn_picture(title: &str, svg: &str) -> Markup {
    html! {
        div class="chart drawn" tabindex="0" role="group" aria-label=(title) { (PreEscaped(svg)) }
    }
}

/// Writes commands in a disclosure.
pub fn commands(title: &str, commands: &[String]) -> Markup {
    html! {
        details {
            summary { (title) }
            pre { code { (commands.join("\n")) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_name_says_is_text() {
        let cells = vec![("</td><script>".to_owned(), "\"><b>".to_owned())];
        let page = page("<i>", &table(&["a&b".to_owned()], &[cells]));
        assert!(!page.contains("<script") && !page.contains("<b>") && !page.contains("<i>"));
        assert!(
            page.contains("a&amp;b") && page.contains("&lt;/td&gt;"),
            "{page}"
        );
    }

    #[test]
    fn a_figure_does_not_break_and_its_interval_stands_below() {
        let shown = |cell: &str| lines(cell).into_string();
        assert_eq!(
            shown("16.78 ± 0.06 [16.23, 17.34]"),
            "<span>16.78 ± 0.06</span> <span>[16.23, 17.34]</span>"
        );
        assert_eq!(shown("3.037 ± 0.086"), "<span>3.037 ± 0.086</span>");
        let long = "runs/a-long-folder/of-a-user";
        assert_eq!(shown(long), long);
    }

    #[test]
    fn a_page_asks_for_nothing_from_elsewhere() {
        let page = page("x", &commands("Commands", &["strata".to_owned()]));
        for part in ["src=", "href=", "@import", "url(", "<script"] {
            assert!(!page.contains(part), "{part}");
        }
        assert!(page.contains("prefers-color-scheme:dark"));
    }
}
