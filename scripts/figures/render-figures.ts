/** Renders the results of a benchmark as Markdown tables. */
import type { BenchResult, ResultRow } from '#bench'

const withUnit = (text: string, unit: string): string => (unit === '' ? text : `${text} ${unit}`)

const toDigits = (value: number, unit: string): string => {
  if (Number.isInteger(value)) return String(value)
  return value.toFixed(value >= 10 && unit !== '%' ? 0 : 1)
}

const measuredText = ({ measured, unit }: ResultRow): string => withUnit(toDigits(measured, unit), unit)

/** Converts `at most 150` and `ms` to `150 ms`: the heading of the table says that it is a goal. */
const goalText = ({ goal, unit }: ResultRow): string =>
  goal === undefined ? '' : withUnit(goal.replace('at most ', '').replace('at least ', '≥ '), unit)

const toTable = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const renderList = (rows: readonly ResultRow[]): string =>
  toTable(
    ['', 'measured', 'goal'],
    rows.map((row) => [row.what, measuredText(row), goalText(row)]),
  )

/** One row per subject. A goal that all subjects share is in the heading of its column; other goals are next to the figure. */
const renderMatrix = (rows: readonly ResultRow[]): string => {
  const columns = [...Map.groupBy(rows, ({ column }) => column!)]
  const sharedGoals = new Map(
    columns.map(([column, cells]) => {
      const goals = new Set(cells.map(goalText))
      return [column, goals.size === 1 ? [...goals][0]! : '']
    }),
  )
  const cellText = (row: ResultRow | undefined): string => {
    if (row === undefined) return ''
    const goal = sharedGoals.get(row.column!) === '' ? goalText(row) : ''
    return goal === '' ? measuredText(row) : `${measuredText(row)} (goal ${goal})`
  }
  const headings = columns.map(([column]) =>
    sharedGoals.get(column) === '' ? column : `${column} (goal ${sharedGoals.get(column)})`,
  )
  const subjects = [...Map.groupBy(rows, ({ subject }) => subject!)]
  return toTable(
    ['', ...headings],
    subjects.map(([subject, cells]) => [
      subject,
      ...columns.map(([column]) => cellText(cells.find((cell) => cell.column === column))),
    ]),
  )
}

const captionOf = (name: string, { commit, date, cores, conditions }: BenchResult): string => {
  const machine = `${cores} ${cores === 1 ? 'core' : 'cores'}`
  const conditionsText = conditions === undefined ? '' : `; ${conditions}`
  return `\`npm run bench ${name}\` at commit ${commit}, ${date}, ${machine}${conditionsText}:`
}

export const renderFigures = (name: string, result: BenchResult): string => {
  const cells = result.rows.filter(({ subject }) => subject !== undefined)
  const others = result.rows.filter(({ subject }) => subject === undefined)
  return [
    captionOf(name, result),
    ...(cells.length === 0 ? [] : [renderMatrix(cells)]),
    ...(others.length === 0 ? [] : [renderList(others)]),
  ].join('\n\n')
}
