use std::path::Path;

use anyhow::Result;
use include_dir::{Dir, include_dir};
use ragmeter::Error;
use ragmeter_core::Lang;

static EN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/quickstart/en");
static RU: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/quickstart/ru");

/// Writes the sample project. Files that are there already are left as they are: they may have
/// been edited, and running again goes on with them.
pub(crate) fn write(folder: &Path, lang: Lang) -> Result<()> {
    let failed = |source| Error::File { verb: "write", path: folder.display().to_string(), source };
    let foreign = folder.exists()
        && std::fs::read_dir(folder).map_err(failed)?.next().is_some()
        && !folder.join("ragmeter.yaml").exists();
    if foreign {
        return Err(Error::Usage(format!(
            "{} is not empty and holds no ragmeter.yaml: name a new folder",
            folder.display()
        ))
        .into());
    }
    std::fs::create_dir_all(folder).map_err(failed)?;
    let sample = match lang {
        Lang::En => &EN,
        Lang::Ru => &RU,
    };
    write_missing(sample, folder)
}

fn write_missing(sample: &Dir<'_>, folder: &Path) -> Result<()> {
    for file in sample.files() {
        let path = folder.join(file.path());
        if path.exists() {
            continue;
        }
        let failed =
            |source| Error::File { verb: "write", path: path.display().to_string(), source };
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(failed)?;
        }
        std::fs::write(&path, file.contents()).map_err(failed)?;
    }
    sample.dirs().try_for_each(|inner| write_missing(inner, folder))
}
