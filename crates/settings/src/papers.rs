//! Addresses of the papers that descriptions and lessons name.

/// Pairs of author and year, as at the beginning of a source, and the address of the paper.
pub const PAPERS: &[(&str, &str)] = &[
    ("Abnar and Zuidema 2020", "https://arxiv.org/abs/2005.00928"),
    ("Arora et al. 2023", "https://arxiv.org/abs/2312.04927"),
    ("Bahdanau et al. 2015", "https://arxiv.org/abs/1409.0473"),
    ("Brown et al. 1990", "https://aclanthology.org/J90-2002/"),
    ("Chen et al. 2016", "https://arxiv.org/abs/1604.06174"),
    ("Cho et al. 2014", "https://arxiv.org/abs/1406.1078"),
    ("Gehring et al. 2017", "https://arxiv.org/abs/1705.03122"),
    ("Goyal et al. 2017", "https://arxiv.org/abs/1706.02677"),
    ("Graves 2013", "https://arxiv.org/abs/1308.0850"),
    ("Graves 2016", "https://arxiv.org/abs/1603.08983"),
    ("Hierarchical Attention", "https://arxiv.org/abs/1808.03728"),
    (
        "Katharopoulos et al. 2020",
        "https://arxiv.org/abs/2006.16236",
    ),
    ("Kim 2014", "https://aclanthology.org/D14-1181/"),
    ("Kingma and Ba 2015", "https://arxiv.org/abs/1412.6980"),
    (
        "Loshchilov and Hutter 2017",
        "https://arxiv.org/abs/1608.03983",
    ),
    (
        "Loshchilov and Hutter 2019",
        "https://arxiv.org/abs/1711.05101",
    ),
    ("Luong et al. 2015", "https://arxiv.org/abs/1508.04025"),
    (
        "Micikevicius et al. 2018",
        "https://arxiv.org/abs/1710.03740",
    ),
    ("Mikolov et al. 2013", "https://arxiv.org/abs/1301.3781"),
    ("Ott et al. 2018", "https://arxiv.org/abs/1806.00187"),
    ("Papineni et al. 2002", "https://aclanthology.org/P02-1040/"),
    ("Pascanu et al. 2013", "https://arxiv.org/abs/1211.5063"),
    ("Post 2018", "https://arxiv.org/abs/1804.08771"),
    ("Press and Wolf 2017", "https://arxiv.org/abs/1608.05859"),
    (
        "Schuster and Paliwal 1997",
        "https://doi.org/10.1109/78.650093",
    ),
    ("Seo et al. 2017", "https://arxiv.org/abs/1611.01603"),
    (
        "Srivastava et al. 2014",
        "https://jmlr.org/papers/v15/srivastava14a.html",
    ),
    ("Srivastava et al. 2015", "https://arxiv.org/abs/1505.00387"),
    ("Sutskever et al. 2014", "https://arxiv.org/abs/1409.3215"),
    ("Szegedy et al. 2016", "https://arxiv.org/abs/1512.00567"),
    ("Vaswani et al. 2017", "https://arxiv.org/abs/1706.03762"),
    ("Wang and Jiang 2017", "https://arxiv.org/abs/1608.07905"),
    ("Wang et al. 2016", "https://arxiv.org/abs/1610.09889"),
    ("Wang et al. 2017", "https://aclanthology.org/P17-1018/"),
    ("Xiong et al. 2020", "https://arxiv.org/abs/2002.04745"),
    ("Xu et al. 2015", "https://arxiv.org/abs/1502.03044"),
    ("Yi et al. 2016", "https://arxiv.org/abs/1604.01537"),
    ("Zaremba et al. 2014", "https://arxiv.org/abs/1409.2329"),
];

/// Returns the address of the paper that a source names, or `None` if the paper is unknown.
pub fn address(source: &str) -> Option<&'static str> {
    let found = PAPERS.iter().find(|(known, _)| source.starts_with(known));
    found.map(|(_, address)| *address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_are_in_order_and_once() {
        assert!(PAPERS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(
            PAPERS
                .iter()
                .all(|(_, address)| address.starts_with("https://"))
        );
    }
}
