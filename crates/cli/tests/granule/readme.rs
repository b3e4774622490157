//! What the README shows is what the program does.

use crate::support::{call, folder, write};

const README: &str = include_str!("../../../../README.md");

/// The first block of a language.
fn block(language: &str) -> &'static str {
    let begin = format!("```{language}\n");
    let start = README.find(&begin).expect("a block") + begin.len();
    README[start..].split("\n```").next().expect("an end")
}

#[test]
fn the_scene_of_the_readme_gives_what_it_says() {
    let folder = folder();
    write(folder.path(), "bricks.toml", &format!("{}\n", block("toml")));
    let ended = call(folder.path(), &["run", "bricks.toml"]).expect(0);
    for line in block("text").lines() {
        assert!(ended.out.lines().any(|told| told == line), "`{line}` is not in\n{}", ended.out);
    }
    let walls = std::fs::read_to_string(folder.path().join("out/bricks/walls.csv")).expect("written");
    let last: Vec<&str> = walls.lines().last().expect("rows").split(',').collect();
    assert!(README.contains(&format!("{:.0} N along z", last[5].parse::<f64>().expect("a number"))), "{last:?}");
}

/// Pages that the README leads to, and commands that it names, are there.
#[test]
fn the_commands_of_the_readme_are_known() {
    let lines = block("sh").lines().chain(include_str!("../../../../docs/program.md").lines());
    let of_granule = |line: &'static str| line.split(" #").next().and_then(|line| line.strip_prefix("cargo granule "));
    let commands: Vec<Vec<&str>> = lines.filter_map(of_granule).map(|line| line.split_whitespace().collect()).collect();
    assert!(commands.len() >= 9, "{commands:?}");
    for arguments in commands {
        // With `--help` a command is understood and not carried out.
        call(std::path::Path::new("."), &[&arguments[..], &["--help"]].concat()).expect(0);
    }
}
