from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from inplace_lint.project.config import Config, ConfigError, enabled_in, fixable, load, override, selection
from inplace_lint.project.keys import codes_under
from inplace_lint.project.settings import Settings, require_own_table


def written(folder: Path, text: str, name: str = "pyproject.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_reads_all_keys(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """
        [tool.inplace-lint]
        select = ["IPL2"]
        extend-select = ["IPL301"]
        ignore = ["IPL202"]
        exclude = ["gen"]
        extend-exclude = ["old"]
        force-exclude = true
        respect-gitignore = false
        output-format = "concise"
        fail-on = "error"
        [tool.inplace-lint.per-file-ignores]
        "tests/*" = ["IPL201"]
        """,
    )
    config = load(file)
    assert config == Config(
        select=("IPL2",),
        extend_select=("IPL301",),
        ignore=("IPL202",),
        exclude=("gen",),
        extend_exclude=("old",),
        force_exclude=True,
        respect_gitignore=False,
        output_format="concise",
        fail_on="error",
        per_file_ignores=(("tests/*", ("IPL201",)),),
        root=str(tmp_path),
    )
    assert {"IPL201", "IPL301"} <= selection(config).enabled
    assert "IPL202" not in selection(config).enabled
    assert "IPL201" not in enabled_in(config, str(tmp_path / "tests" / "a.py"))
    assert "IPL201" in enabled_in(config, str(tmp_path / "src" / "a.py"))


def test_nearest_file_with_our_table_wins(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    written(tmp_path, "[tool.inplace-lint]\n")
    written(tmp_path / "a", "[tool.other]\n")
    assert Settings().source(str(deep)) == tmp_path / "pyproject.toml"
    written(tmp_path / "a", "select = ['ALL']\n", "inplace-lint.toml")
    assert Settings().source(str(deep)) == tmp_path / "a" / "inplace-lint.toml"
    assert Settings().at(str(deep)).select == ("ALL",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("selct = []", "unknown key `selct`; did you mean `select`?"),
        ("zzz = 1", "unknown key `zzz`"),
        ("select = 'IPL2'", "`select`: expected a list of strings, not the string 'IPL2'"),
        ("select = [2]", "`select`: expected a list of strings, not one with a number"),
        ("select = ['IPL20X']", "`select`: unknown rule code `IPL20X`; did you mean `IPL20"),
        ("ignore = ['']", "`ignore`: unknown rule code ``"),
        ("respect-gitignore = 'no'", "`respect-gitignore`: expected true or false, not the string 'no'"),
        ("output-format = 'ful'", "; did you mean `full`?"),
        ("docs-url = 'here'", "`docs-url`: expected an address such as"),
        ('docs-url = "https://a\\u001b"', "`docs-url`: expected an address such as"),
        ("torch-version = '2.0.1'", "`torch-version`: PyTorch is known from 2.1 to 2.13, not the string '2.0.1'"),
        ("torch-version = '2.131'", "`torch-version`: PyTorch is known from 2.1 to 2.13"),
        ("torch-version = '2.4rc1'", "`torch-version`: expected a version of PyTorch such as '2.13', not the string"),
        ("torch-version = 2.4", "`torch-version`: expected a version of PyTorch such as '2.13', not a number"),
        ("fail-on = 3", "`fail-on`: expected one of error, warning, info, not a number"),
        ("per-file-ignores = ['a']", "expected a table from patterns to lists of rule codes, not a list"),
        ("per-file-ignores = {'a' = ['X']}", "`per-file-ignores`: unknown rule code `X`"),
        ("per-file-ignores = {'!' = ['IPL1']}", "`per-file-ignores`: `!` is no valid pattern"),
        ("exclude = ['a', 'b[a']", "`exclude`: `b[a` is no valid pattern"),
        ("= 3", "cannot be read"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, line: str, message: str) -> None:
    file = written(tmp_path, f"[tool.inplace-lint]\n{line}\n")
    with pytest.raises(ConfigError) as caught:
        load(file)
    assert str(file) in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"select": ("XYZ",)}, "`select`: unknown rule code `XYZ`"),
        ({"ignore": "IPL2"}, "`ignore`: expected a list of strings, not the string 'IPL2'"),
        ({"per_file_ignores": (("a", ("leaf-modifed",)),)}, "did you mean `leaf-modified`?"),
        ({"per_file_ignores": ("a", ("IPL1",))}, "`per_file_ignores`: "),
        ({"exclude": "tests"}, "`exclude`: expected a list of strings, not the string 'tests'"),
        ({"fail_on": "worning"}, "`fail_on`: expected one of error, warning, info, not the string 'worning'; did you"),
        ({"output_format": "xml"}, "`output_format`: expected one of full, "),
        ({"ignore_noqa": "no"}, "`ignore_noqa`: expected true or false, not the string 'no'"),
        ({"torch_version": "1.4"}, "`torch_version`: PyTorch is known from "),
    ],
)
def test_mistakes_in_python_are_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Config(**given)
    assert message in str(caught.value)


def test_tables_are_taken_from_python() -> None:
    config = Config(per_file_ignores={"tests/*": ["leaf-modified"]})  # type: ignore[arg-type]
    assert config.per_file_ignores == (("tests/*", ("IPL101",)),)


def test_names_are_codes(tmp_path: Path) -> None:
    file = written(tmp_path, 'select = ["Same-Expression", "ipl2"]\n', "inplace-lint.toml")
    assert load(file).select == ("IPL302", "IPL2") == Config(select=("same-expression", "ipl2")).select


def test_table_of_the_wrong_type(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="must be a table, not a number"):
        load(written(tmp_path, "[tool]\ninplace-lint = 3\n"))


def test_a_heading_where_none_belongs_is_told(tmp_path: Path) -> None:
    file = written(tmp_path, "[tool.inplace-lint]\nselect = ['ALL']\n", "inplace-lint.toml")
    with pytest.raises(ConfigError, match=r"keys stand here without `\[tool.inplace-lint\]`"):
        load(file)


def test_a_table_of_the_wrong_name_is_told(tmp_path: Path) -> None:
    written(tmp_path, "[tool.inplace_lint]\nselect = ['ALL']\n")
    with pytest.raises(ConfigError, match=r"`\[tool.inplace_lint\]` is not read; write `\[tool.inplace-lint\]`"):
        Settings().at(str(tmp_path))


def test_further_ignores_of_files(tmp_path: Path) -> None:
    text = 'per-file-ignores = {"a.py" = ["IPL2"]}\nextend-per-file-ignores = {"a.py" = ["IPL3"]}\n'
    config = override(load(written(tmp_path, text, "inplace-lint.toml")), {"per-file-ignores": {"b.py": ["IPL4"]}})
    on = enabled_in(config, str(tmp_path / "a.py"))
    assert "IPL302" not in on
    assert {"IPL202", "IPL401"} <= on


def test_a_file_extends_others(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    base = written(
        tmp_path,
        "ignore = ['IPL2']\nfail-on = 'error'\nbaseline = 'known.json'\n"
        "extend-exclude = ['old', '/part/gen', '/other']\n",
        "base.toml",
    )
    own = "extend = '../base.toml'\nextend-select = ['IPL202']\nextend-exclude = ['new']\nfail-on = 'warning'\n"
    file = written(tmp_path / "part", own, "inplace-lint.toml")
    config = load(file)
    assert config.root == str(tmp_path / "part")
    assert config.extend_exclude == ("old", "/gen", "new")
    assert (config.fail_on, config.baseline) == ("warning", str(tmp_path / "known.json"))
    assert {code for code in selection(config).enabled if code.startswith("IPL2")} == {"IPL202"}
    places = {key: place for key, _, place in Settings().values(str(file.parent))}
    assert (places["baseline"], places["fail-on"], places["select"]) == (str(base), str(file), "default")


def test_what_cannot_be_extended(tmp_path: Path) -> None:
    own = written(tmp_path, "extend = 'other.toml'\n", "inplace-lint.toml")
    with pytest.raises(ConfigError, match=r"other\.toml: cannot be read"):
        load(own)
    written(tmp_path, "extend = 'inplace-lint.toml'\n", "other.toml")
    with pytest.raises(ConfigError, match=r"`extend`: .*inplace-lint\.toml extends itself"):
        load(own)
    written(tmp_path, "[tool.other]\n")
    with pytest.raises(ConfigError, match=r"pyproject\.toml has no table"):
        load(written(tmp_path, "extend = 'pyproject.toml'\n", "inplace-lint.toml"))


@pytest.mark.parametrize("asked", ["0.1", "==0.1.0", ">=0.1,<9", "!=0.2", "<= 0.1.0"])
def test_a_version_that_is_required_and_here(tmp_path: Path, asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inplace_lint.project.keys.__version__", "0.1.0")
    assert load(written(tmp_path, f"required-version = '{asked}'\n", "inplace-lint.toml")).required_version == asked


@pytest.mark.parametrize(
    ("asked", "message"),
    [("'>=99'", "and >=99 is required"), ("'new'", "expected a version"), ("1", "expected a string such as")],
)
def test_a_version_that_is_not(tmp_path: Path, asked: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"`required-version`: .*{message}"):
        load(written(tmp_path, f"required-version = {asked}\n", "inplace-lint.toml"))


def test_rules_whose_fixes_are_wanted() -> None:
    assert fixable(Config()) == frozenset(codes_under("ALL"))
    assert fixable(Config(fixable=("IPL2",), unfixable=("IPL202",))) == frozenset(codes_under("IPL2")) - {"IPL202"}
    assert "IPL202" in fixable(Config(fixable=("saved-output-modified",), unfixable=("IPL2",)))


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load(tmp_path / "none.toml")


def test_defaults() -> None:
    chosen = selection(Config())
    assert {"IPL902", "IPL903"} <= chosen.enabled
    assert not chosen.explicit


def test_longer_prefix_wins() -> None:
    assert "IPL902" in selection(Config(select=("IPL902",), ignore=("IPL9",))).enabled
    assert "IPL902" not in selection(Config(select=("ALL",), ignore=("IPL902",))).enabled
    assert selection(Config(select=("ALL",))).enabled == set(codes_under("ALL"))


def test_a_crash_cannot_be_ignored() -> None:
    config = Config(ignore=("ALL",), per_file_ignores=(("*", ("ALL",)),))
    assert enabled_in(config, "a.py") == {"IPL903"}


def test_command_line_is_a_layer_of_its_own() -> None:
    file = Config(select=("IPL902",), ignore=("IPL903",))
    # A short prefix on the command line beats a long one in the file.
    assert "IPL902" not in selection(override(file, {"ignore": ["IPL9"]})).enabled
    assert "IPL902" in selection(override(Config(ignore=("IPL902",)), {"select": ["IPL9"]})).enabled
    assert "IPL902" in selection(override(Config(ignore=("IPL902",)), {"extend-select": ["IPL902"]})).explicit
    assert override(file, {"fail-on": "error"}).select == ("IPL902",)


def test_command_line_mistakes() -> None:
    with pytest.raises(ConfigError, match="command line: `select`: unknown rule code `IPL9O2`; did you mean"):
        override(Config(), {"select": ["IPL9O2"]})


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    config = load(written(tmp_path, "[tool.inplace-lint]\nbaseline = 'known.json'\ncache-dir = '../cache'\n"))
    assert config.baseline == str(tmp_path / "known.json")
    assert config.cache_dir == str(tmp_path.parent / "cache")


def test_each_folder_has_its_own_nearest_file(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    written(tmp_path, "[tool.inplace-lint]\nignore = ['IPL1']\n")
    written(inner, "ignore = ['IPL2']\n", "inplace-lint.toml")
    settings = Settings({"extend-select": ["IPL5"]})
    assert settings.of(str(tmp_path / "a.py")).root == str(tmp_path)
    assert "IPL201" in enabled_in(settings.at(str(tmp_path)), "a.py")
    assert "IPL201" not in enabled_in(settings.at(str(inner)), "a.py")
    assert "IPL501" in enabled_in(settings.at(str(inner)), "a.py")
    assert Settings(isolated=True).at(str(inner)) == Config(root=os.getcwd())


@pytest.mark.parametrize(
    ("pattern", "above", "below"),
    [
        ("gen", ("gen",), ("gen",)),
        ("inner/gen", ("/here/inner/gen",), ("/gen",)),
        ("/inner/gen/", ("/here/inner/gen/",), ("/gen/",)),
        ("!*/gen", ("!/here/*/gen",), ("!/gen",)),
        ("**/gen", ("**/gen",), ("**/gen",)),
        ("other/gen", ("/here/other/gen",), ()),
        ("inner/", ("inner/",), ("inner/",)),
        ("/inner", ("/here/inner",), ("/*",)),
    ],
)
def test_patterns_of_options_are_relative_to_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, above: tuple[str], below: tuple[str]
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    options = {"exclude": [pattern]}
    assert override(Config(root=str(tmp_path)), options).exclude == above
    assert override(Config(root=str(here / "inner")), options).exclude == below
    assert override(Config(root=str(here)), options).exclude == (pattern,)


def test_a_named_file_must_have_our_table(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"has no table `\[tool.inplace-lint\]`"):
        require_own_table(str(written(tmp_path, "[tool.other]\n")))


def test_a_broken_file_counts_only_if_it_mentions_us(tmp_path: Path) -> None:
    written(tmp_path, "[broken\n")
    assert Settings().source(str(tmp_path)) is None
    written(tmp_path, "[tool.inplace-lint]\nselect = [\n")
    with pytest.raises(ConfigError, match=r"pyproject.toml: cannot be read: "):
        Settings().source(str(tmp_path))


@pytest.mark.skipif(os.name == "nt", reason="has no links")
@pytest.mark.parametrize("name", ["inplace-lint.toml", "pyproject.toml"])
def test_a_link_that_leads_nowhere_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to("nowhere")
    with pytest.raises(ConfigError, match="cannot be read"):
        Settings().of(str(tmp_path / "a.py"))
