/** Filters and sorts the list of episodes. The details of an open episode move with its row. */
import { type PageElement, page } from './page-types.ts'

interface Filter {
  readonly words: readonly string[]
  readonly outcomes: ReadonlySet<string>
  readonly category: string
  readonly entrant: string
}

const readFilter = (form: PageElement): Filter => {
  const fieldOf = (name: string): string => form.querySelector(`[name="${name}"]`)?.value ?? ''
  return {
    words: fieldOf('words')
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== ''),
    outcomes: new Set(
      [...form.querySelectorAll('[name="outcome"]')]
        .filter(({ checked }) => checked)
        .map(({ value }) => value),
    ),
    category: fieldOf('category'),
    entrant: fieldOf('entrant'),
  }
}

const matches = ({ dataset }: PageElement, { words, outcomes, category, entrant }: Filter): boolean =>
  outcomes.has(dataset.outcome!) &&
  (category === '' || dataset.categories!.split(' ').includes(category)) &&
  (entrant === '' || dataset.entrant === entrant) &&
  words.every((word) => dataset.words!.includes(word))

const rowsOf = (body: PageElement): PageElement[] =>
  [...body.children].filter((row) => row.matches('tr.episode'))

const detailsOf = (row: PageElement): PageElement | undefined => {
  const next = row.nextElementSibling
  return next?.matches('tr.details') === true ? next : undefined
}

const applyFilter = (form: PageElement, body: PageElement): void => {
  const filter = readFilter(form)
  const rows = rowsOf(body)
  for (const row of rows) {
    row.hidden = !matches(row, filter)
    const details = detailsOf(row)
    if (details !== undefined) details.hidden = row.hidden
  }
  const shown = rows.filter(({ hidden }) => !hidden).length
  form.querySelector('output')!.textContent = shown === rows.length ? '' : `${shown} of ${rows.length}`
}

const compare = (a: string, b: string): number => {
  const [first, second] = [Number(a), Number(b)]
  if (Number.isNaN(first) || Number.isNaN(second)) return a.localeCompare(b)
  return first - second
}

const sortRows = (body: PageElement, column: number, direction: 1 | -1): void => {
  const rows = rowsOf(body).map((row) => ({
    parts: [row, detailsOf(row)].filter((part) => part !== undefined),
    value: row.cells[column]!.dataset.value ?? '',
  }))
  rows.sort((a, b) => direction * compare(a.value, b.value))
  body.append(...rows.flatMap(({ parts }) => parts))
}

const sortBy = (table: PageElement, heading: PageElement): void => {
  const headings = [...table.querySelectorAll('thead th')]
  const isDescending = heading.getAttribute('aria-sort') === 'ascending'
  for (const other of headings) other.setAttribute('aria-sort', 'none')
  heading.setAttribute('aria-sort', isDescending ? 'descending' : 'ascending')
  sortRows(table.querySelector('tbody')!, headings.indexOf(heading), isDescending ? -1 : 1)
}

export const arrangeEpisodes = (table: PageElement, form: PageElement): void => {
  const body = table.querySelector('tbody')!
  form.addEventListener('submit', (event) => event.preventDefault())
  form.addEventListener('input', () => applyFilter(form, body))
  form.addEventListener('change', () => applyFilter(form, body))
  table.querySelector('thead')!.addEventListener('click', ({ target }) => {
    const heading = target.closest('th')
    if (heading !== null) sortBy(table, heading)
  })
  page.document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || page.document.querySelector('input:focus, select:focus') !== null) return
    event.preventDefault()
    form.querySelector('[name="words"]')!.focus()
  })
  // A browser restores the fields when the user navigates back to the page.
  applyFilter(form, body)
}
