//! Attention files of safetensors: a tensor for each site, and the tokens in the metadata.

use safetensors::{Dtype, SafeTensors};

use super::{
    AttentionFileError, FORMAT, File, MOST_PARTS, SentenceAttention, SiteAttention, bounded,
    check_names,
};

/// Reads the tensors `SENTENCE.SITE`, `[levels, heads, rows, columns]` or `[heads, rows, columns]`.
/// The metadata `strata-attention` has the JSON of the file, whose sites have no weights.
pub fn read(bytes: &[u8]) -> Result<Vec<SentenceAttention>, AttentionFileError> {
    let form = |reason: &dyn std::fmt::Display| AttentionFileError::Form {
        reason: bounded::shortened(&reason.to_string()),
    };
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|it| form(&it))?;
    let entry = header.metadata().as_ref().and_then(|it| it.get(FORMAT));
    let entry = entry.ok_or_else(|| form(&format!("the metadata have no `{FORMAT}`")))?;
    let file: File = serde_json::from_str(entry).map_err(|it| AttentionFileError::json(&it))?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|it| form(&it))?;
    let mut all = Vec::with_capacity(file.sentences.len());
    for (at, sentence) in file.sentences.into_iter().enumerate() {
        check_names(at + 1, &sentence.sites)?;
        let mut sites = Vec::with_capacity(sentence.sites.len());
        for site in sentence.sites {
            let name = format!("{at}.{}", site.site);
            let wrong = |reason: String| AttentionFileError::Sizes {
                sentence: at + 1,
                site: bounded::shortened(&site.site),
                reason,
            };
            let tensor = tensors.tensor(&name).map_err(|_| {
                let name = bounded::shortened(&name);
                wrong(format!("there is no tensor `{name}`"))
            })?;
            let sizes = [site.rows.len(), site.columns.len()];
            let (levels, heads) = match *tensor.shape() {
                [heads, rows, columns] if [rows, columns] == sizes => (1, heads),
                [levels, heads, rows, columns] if [rows, columns] == sizes => (levels, heads),
                _ => {
                    return Err(wrong(format!(
                        "the tensor is {:?}, but there are {} tokens in `rows` and {} in `columns`",
                        tensor.shape(),
                        sizes[0],
                        sizes[1]
                    )));
                }
            };
            if tensor.dtype() != Dtype::F32 {
                return Err(wrong(format!(
                    "the tensor is {:?}; write it as F32",
                    tensor.dtype()
                )));
            }
            if !(1..=MOST_PARTS).contains(&levels) || !(1..=MOST_PARTS).contains(&heads) {
                return Err(wrong(format!(
                    "{levels} levels and {heads} heads; each from 1 to {MOST_PARTS}"
                )));
            }
            let (numbers, _) = tensor.data().as_chunks::<4>();
            let site = SiteAttention {
                name: site.site,
                rows: site.rows,
                columns: site.columns,
                levels: (1..=levels as u64).collect(),
                heads,
                weights: numbers.iter().map(|it| f32::from_le_bytes(*it)).collect(),
            };
            sites.push(site.checked(at + 1)?);
        }
        all.push(SentenceAttention {
            source: sentence.source,
            target: sentence.target,
            sites,
        });
    }
    Ok(all)
}
