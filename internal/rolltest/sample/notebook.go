package sample

import (
	"time"

	"rollbook/internal/rolltest"
)

// csvDates is a thread of 0.63 whose last turn was edited in the terminal: that
// started a second file, a copy that does not tell where it comes from.
func csvDates(home *rolltest.Home) {
	r := home.New(rolltest.V63, project("sales-notebook", at(time.February, 20, 20, 15)))
	r.Turn("load_sales() turns 03/02/2026 into March 2nd. we write the day first")
	r.Reasoning("**Finding the parser**")
	r.Shell("grep -rn 'to_datetime' src", "src/load.py:27:    df[\"day\"] = pd.to_datetime(df[\"day\"])\n", 0)
	r.Assistant("`pd.to_datetime` guesses month first. `dayfirst=True` only helps where both readings are valid, so I'd give the format.")
	r.Patch("*** Begin Patch\n*** Update File: src/load.py\n@@ def load_sales(path):\n-    df[\"day\"] = pd.to_datetime(df[\"day\"])\n+    df[\"day\"] = pd.to_datetime(df[\"day\"], format=\"%d/%m/%Y\")\n     return df\n*** End Patch")
	r.Shell("pytest -q", "F..                                                                      [100%]\n=================================== FAILURES ===================================\n___________________________ test_load_old_export ____________________________\nE   ValueError: time data \"2025-12-31\" doesn't match format \"%d/%m/%Y\"\n1 failed, 2 passed in 0.61s\n", 1)
	r.Assistant("The old exports are ISO dates. I'll try that format first and fall back to ours.")
	r.Patch("*** Begin Patch\n*** Update File: src/load.py\n@@ def load_sales(path):\n-    df[\"day\"] = pd.to_datetime(df[\"day\"], format=\"%d/%m/%Y\")\n+    iso = df[\"day\"].str.contains(\"-\").all()\n+    df[\"day\"] = pd.to_datetime(df[\"day\"], format=\"%Y-%m-%d\" if iso else \"%d/%m/%Y\")\n     return df\n*** End Patch")
	r.Shell("pytest -q", "...                                                                      [100%]\n3 passed in 0.58s\n", 0)
	r.Assistant("Both kinds of export load now; the three tests pass.").TurnComplete()
	r.Wait(5 * time.Minute).Turn("plot sales by weekday")
	r.Assistant("```python\ndf.groupby(df.day.dt.dayofweek).amount.sum().plot.bar()\n```").TurnComplete()

	edited := r.Wait(time.Minute).Fork(1)
	edited.Turn("plot sales by weekday, as a share of the week, names not numbers")
	edited.Shell("python -c 'import seaborn'", "ModuleNotFoundError: No module named 'seaborn'\n", 1)
	edited.Assistant("Plain matplotlib will do:\n\n```python\nby_day = df.groupby(df.day.dt.day_name()).amount.sum()\n(by_day / by_day.sum()).plot.bar()\n```").TurnComplete()
}

// weeklySummary ran without a person, by codex exec.
func weeklySummary(home *rolltest.Home) {
	m := project("sales-notebook", at(time.April, 6, 7, 0))
	m.Source = "exec"
	r := home.New(rolltest.V101, m)
	r.Turn("Summarise last week's sales in three lines. Use data/week.csv.")
	r.Shell("column -s, -t data/week.csv", "day         orders  amount\n2026-03-30  51      1840.20\n2026-03-31  47      1622.00\n2026-04-01  63      2390.55\n2026-04-02  58      2104.10\n2026-04-03  40      1311.80\n", 0)
	r.Assistant("- 259 orders, 9,268.65 in five days.\n- Wednesday was best: 63 orders, 2,390.55.\n- Friday was weakest, a third below the mean of the other days.").TurnComplete()
	r.Wait(7 * 24 * time.Hour).Resume().Turn("The same for this week.")
	r.Shell("column -s, -t data/week.csv", "column: data/week.csv: No such file or directory\n", 1)
	r.Assistant("There is no data/week.csv this week, so there is nothing to summarise.").TurnComplete()
}

// forecast is paginated and in Japanese.
func forecast(home *rolltest.Home) {
	r := home.New(rolltest.V147, project("sales-notebook", at(time.August, 14, 21, 33)))
	r.Turn("売上の予測を作りたいです。まずは移動平均だけで十分です 📈")
	r.Assistant("わかりました。7日の移動平均から始めます。週末の影響が消えるので、見やすくなります。", "final_answer").TurnComplete()
	r.Wait(2 * time.Minute).Turn("欠けている日はどうしますか？")
	r.Reasoning("**欠損日の扱い**")
	r.Shell("python - <<'PY'\nimport pandas as pd\ndf = pd.read_csv('data/sales.csv', parse_dates=['day'])\nprint(df.day.diff().value_counts())\nPY", "day\n1 days    181\n3 days      2\nName: count, dtype: int64\n", 0)
	r.Assistant("3日空いている箇所が2つあります(連休です)。`asfreq('D').fillna(0)` で0として扱うのが自然だと思います。", "final_answer").TurnComplete()
	r.Name("売上予測 📈")
}

// csvLibraries has two sub-agents, one of which was told the thread so far.
func csvLibraries(home *rolltest.Home) {
	r := home.New(rolltest.V171, project("sales-notebook", at(time.September, 28, 13, 5)))
	r.Turn("loading the big CSV takes 40 s. compare polars and duckdb for it, in parallel if you can")
	r.Assistant("I'll give one to each of two agents and compare what they measure.", "commentary")
	polars := r.Spawn("Robin", "Measure reading data/big.csv with polars: wall time and peak memory, three runs.")
	polars.Shell("python bench/polars_read.py", "run 1: 3.9 s, 1.2 GB\nrun 2: 3.7 s, 1.2 GB\nrun 3: 3.7 s, 1.2 GB\n", 0)
	polars.Assistant("polars: 3.7 s, 1.2 GB (median of three).", "final_answer").TurnComplete()
	duck := r.SpawnWithHistory("Wren", "Measure the same with duckdb.")
	duck.Shell("python bench/duckdb_read.py", "run 1: 5.2 s, 0.4 GB\nrun 2: 4.8 s, 0.4 GB\nrun 3: 4.8 s, 0.4 GB\n", 0)
	duck.Assistant("duckdb: 4.8 s, 0.4 GB (median of three).", "final_answer").TurnComplete()
	r.WaitFor(polars).WaitFor(duck)
	r.Assistant("| | time | memory |\n|---|---|---|\n| polars | 3.7 s | 1.2 GB |\n| duckdb | 4.8 s | 0.4 GB |\n\nBoth are ten times faster than now. On your laptop I'd take duckdb.", "final_answer").TurnComplete()
	r.Wait(time.Minute).Turn("make a plan for moving load_sales to duckdb")
	r.Plan("# Move load_sales to duckdb\n- add duckdb to the environment\n- read with `read_csv`, give the column types\n- keep the function's result as it is\n- compare sums on all old exports\n").TurnComplete()
}

// chartScript is of a model that writes scripts instead of calls.
func chartScript(home *rolltest.Home) {
	m := project("sales-notebook", at(time.September, 30, 19, 48))
	m.Model = "gpt-5.6"
	r := home.New(rolltest.V171, m)
	patch := "*** Begin Patch\n*** Add File: charts/monthly.py\n+import pandas as pd\n+\n+df = pd.read_csv(\"data/sales.csv\", parse_dates=[\"day\"])\n+df.resample(\"MS\", on=\"day\").amount.sum().plot.bar().figure.savefig(\"charts/monthly.png\")\n*** End Patch"
	r.Turn("a script that draws sales by month into charts/monthly.png")
	r.Script("const p = await tools.apply_patch(patch);\nconst r = await tools.exec_command({cmd: \"python charts/monthly.py && file charts/monthly.png\"});\ntext(r.output);", "charts/monthly.png: PNG image data, 640 x 480, 8-bit/color RGBA\n", func() {
		r.FileChange(r.ExecID(), patch)
		r.CommandExecution(r.ExecID(), "python charts/monthly.py && file charts/monthly.png", "charts/monthly.png: PNG image data, 640 x 480, 8-bit/color RGBA\n", 0)
	})
	r.Assistant("`charts/monthly.py` draws it; the picture is 640 x 480.", "final_answer").TurnComplete()
}
