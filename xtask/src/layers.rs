//! Which crate may know which: the table that `ARCHITECTURE.md` explains.

use crate::metadata::{Metadata, Package};

/// The vocabulary and pure helpers.
const L0: &[&str] = &["ragmeter-core", "ragmeter-stats", "ragmeter-text"];

/// One trade each.
const L1: &[&str] = &[
    "ragmeter-analysis",
    "ragmeter-facts",
    "ragmeter-local",
    "ragmeter-metrics",
    "ragmeter-models",
    "ragmeter-rag",
    "ragmeter-runner",
    "ragmeter-store",
    "ragmeter-testset",
];

/// The wiring.
const L2: &[&str] = &["ragmeter"];

/// The one sibling that a sibling may know.
const FACTS: &[&str] = &["ragmeter-facts"];

/// Each member with the members it may depend on, in tests too.
const EDGES: &[(&str, &[&[&str]])] = &[
    ("ragmeter-core", &[]),
    ("ragmeter-stats", &[]),
    ("ragmeter-text", &[&["ragmeter-core"]]),
    ("ragmeter-analysis", &[&["ragmeter-core", "ragmeter-stats"]]),
    ("ragmeter-facts", &[L0]),
    ("ragmeter-local", &[L0]),
    ("ragmeter-metrics", &[L0, FACTS]),
    ("ragmeter-models", &[L0]),
    ("ragmeter-rag", &[L0]),
    ("ragmeter-runner", &[L0]),
    ("ragmeter-store", &[L0]),
    ("ragmeter-testset", &[L0, FACTS]),
    ("ragmeter", &[L0, L1]),
    ("ragmeter-cli", &[L0, L1, L2]),
    ("xtask", &[&["ragmeter-stats"]]),
];

/// A dependency that only some members may have.
struct Exclusive {
    dependency: &'static str,
    owners: &'static [&'static str],
    /// Whether every crate may use it in its tests.
    free_in_tests: bool,
    why: &'static str,
}

const EXCLUSIVE: &[Exclusive] = &[
    Exclusive {
        dependency: "anyhow",
        owners: &["ragmeter-cli", "xtask"],
        free_in_tests: false,
        why: "libraries have typed errors",
    },
    Exclusive {
        dependency: "clap",
        owners: &["ragmeter-cli", "xtask"],
        free_in_tests: false,
        why: "only command lines read arguments",
    },
    Exclusive {
        dependency: "clap_complete",
        owners: &["ragmeter-cli"],
        free_in_tests: false,
        why: "only command lines read arguments",
    },
    Exclusive {
        dependency: "reqwest",
        owners: &["ragmeter-models", "ragmeter-rag"],
        free_in_tests: false,
        why: "only models and documents come over the network",
    },
    Exclusive {
        dependency: "rusqlite",
        owners: &["ragmeter-store"],
        free_in_tests: false,
        why: "the store owns the file and its format",
    },
    Exclusive {
        dependency: "tokio",
        owners: &["ragmeter-models", "ragmeter-rag", "ragmeter-runner", "ragmeter", "ragmeter-cli"],
        free_in_tests: true,
        why: "pure crates start no task",
    },
];

/// Every dependency that the tables do not allow, every member without a line, and every line
/// without a member.
pub(crate) fn problems(metadata: &Metadata) -> Vec<String> {
    let mut problems = Vec::new();
    let is_member = |name: &str| metadata.packages.iter().any(|package| package.name == name);
    for package in &metadata.packages {
        let name = &package.name;
        match EDGES.iter().find(|(member, _)| member == name) {
            Some((_, may_use)) => edges(package, may_use, is_member, &mut problems),
            None => problems.push(format!(
                "{name} has no line in EDGES of xtask/src/layers.rs: say which crates it may know"
            )),
        }
        exclusive(package, &mut problems);
    }
    for (name, _) in EDGES {
        if !is_member(name) {
            problems.push(format!("EDGES has a line for {name}, which is no member"));
        }
    }
    problems
}

fn edges(
    package: &Package,
    may_use: &[&[&str]],
    is_member: impl Fn(&str) -> bool,
    problems: &mut Vec<String>,
) {
    for dependency in &package.dependencies {
        let name = dependency.name.as_str();
        if is_member(name) && !may_use.iter().any(|group| group.contains(&name)) {
            let kind = dependency.kind.as_deref().unwrap_or("ordinary");
            problems.push(format!("{} must not know {name} ({kind} dependency)", package.name));
        }
    }
}

fn exclusive(package: &Package, problems: &mut Vec<String>) {
    for dependency in &package.dependencies {
        let Some(rule) = EXCLUSIVE.iter().find(|rule| rule.dependency == dependency.name) else {
            continue;
        };
        let free = rule.free_in_tests && dependency.only_in_tests();
        if !free && !rule.owners.contains(&package.name.as_str()) {
            problems.push(format!(
                "{} must not depend on {}, only {} may: {}",
                package.name,
                rule.dependency,
                rule.owners.join(" and "),
                rule.why
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// A workspace that has every member of the table, with these dependencies of one of them.
    fn workspace(name: &str, dependencies: &Value) -> Metadata {
        let mut names: Vec<&str> = EDGES.iter().map(|(member, _)| *member).collect();
        if !names.contains(&name) {
            names.push(name);
        }
        let packages: Vec<Value> = names
            .into_iter()
            .map(|member| {
                let none = json!([]);
                json!({
                    "name": member,
                    "version": "1.0.0",
                    "manifest_path": format!("/made-up/crates/{member}/Cargo.toml"),
                    "dependencies": if member == name { dependencies } else { &none },
                })
            })
            .collect();
        serde_json::from_value(json!({
            "packages": packages,
            "workspace_root": "/made-up",
            "target_directory": "/made-up/target",
        }))
        .expect("has the shape of cargo's metadata")
    }

    fn found(name: &str, dependency: &str, kind: Option<&str>) -> Vec<String> {
        problems(&workspace(name, &json!([{ "name": dependency, "kind": kind }])))
    }

    #[test]
    fn a_forbidden_edge_is_found() {
        for (from, to) in [
            ("ragmeter-core", "ragmeter-text"),
            ("ragmeter-stats", "ragmeter-core"),
            ("ragmeter-analysis", "ragmeter-text"),
            ("ragmeter-analysis", "ragmeter-metrics"),
            ("ragmeter-facts", "ragmeter-metrics"),
            ("ragmeter-runner", "ragmeter-store"),
            ("ragmeter-store", "ragmeter"),
            ("ragmeter", "ragmeter-cli"),
            ("xtask", "ragmeter"),
        ] {
            for kind in [None, Some("dev"), Some("build")] {
                let found = found(from, to, kind);
                assert_eq!(found.len(), 1, "{from} → {to}: {found:?}");
                assert!(found[0].contains(from) && found[0].contains(to), "{found:?}");
            }
        }
    }

    #[test]
    fn allowed_edges_are_no_problem() {
        for (from, to) in [
            ("ragmeter-metrics", "ragmeter-facts"),
            ("ragmeter-testset", "ragmeter-facts"),
            ("ragmeter-analysis", "ragmeter-stats"),
            ("ragmeter", "ragmeter-store"),
            ("ragmeter-cli", "ragmeter"),
            ("ragmeter-core", "serde"),
        ] {
            assert_eq!(found(from, to, None), Vec::<String>::new(), "{from} → {to}");
        }
    }

    #[test]
    fn a_dependency_that_belongs_to_others_is_found() {
        for (from, to) in [
            ("ragmeter", "clap"),
            ("ragmeter-core", "anyhow"),
            ("ragmeter-runner", "rusqlite"),
            ("ragmeter-facts", "reqwest"),
            ("ragmeter-analysis", "tokio"),
        ] {
            assert_eq!(found(from, to, None).len(), 1, "{from} → {to}");
        }
        assert_eq!(found("ragmeter-facts", "tokio", Some("dev")), Vec::<String>::new());
        assert_eq!(found("ragmeter-cli", "rusqlite", Some("dev")).len(), 1);
        assert_eq!(found("ragmeter-store", "rusqlite", None), Vec::<String>::new());
    }

    #[test]
    fn a_crate_without_a_line_and_a_line_without_a_crate_are_found() {
        let unknown = problems(&workspace("ragmeter-new", &json!([])));
        assert_eq!(unknown.len(), 1, "{unknown:?}");
        assert!(unknown[0].starts_with("ragmeter-new has no line"), "{unknown:?}");
        let mut fewer = workspace("ragmeter", &json!([]));
        fewer.packages.retain(|package| package.name != "ragmeter-text");
        let stale = problems(&fewer);
        assert_eq!(stale, ["EDGES has a line for ragmeter-text, which is no member"]);
    }
}
