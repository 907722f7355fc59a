/** Opens and closes the details of episodes. The details are rendered when they are opened. */
import { detailsHtml } from '../view/details.ts'
import { html } from '../view/html.ts'
import type { EpisodeDetails } from '../view/story.ts'
import { timeline } from '../view/timeline.ts'
import { type PageElement, page } from './page-types.ts'
import { unpack } from './unpack.ts'

const { document } = page

/** The minimum width of the timeline; on a narrower page it scrolls. */
const MIN_WIDTH = 640

const unpackedDetails = new Map<string, EpisodeDetails>()

const rowOf = (number: string): PageElement | null =>
  document.querySelector(`tr.episode[data-number="${number}"]`)

const detailsRowOf = (row: PageElement): PageElement | undefined => {
  const next = row.nextElementSibling
  return next?.matches('tr.details') === true ? next : undefined
}

const fillDetails = async (number: string, body: PageElement): Promise<void> => {
  const inner = body.querySelector('.inner')!
  const width = Math.max(MIN_WIDTH, body.querySelector('.room')?.clientWidth ?? 0)
  try {
    const packed = document.getElementById(`story-${number}`)?.textContent ?? ''
    const details = unpackedDetails.get(number) ?? (await unpack(packed))
    unpackedDetails.set(number, details)
    inner.innerHTML = detailsHtml(details, width).text
  } catch (error) {
    inner.innerHTML = html`<p class="notice">This browser cannot open the episode: ${String(error)}</p>`.text
  }
}

const openDetails = async (row: PageElement): Promise<void> => {
  if (detailsRowOf(row) !== undefined) return
  const body = document.createElement('tr')
  body.className = 'details'
  const cell = document.createElement('td')
  cell.colSpan = row.cells.length
  cell.innerHTML = '<div class="inner"><div class="room"></div></div>'
  body.append(cell)
  row.after(body)
  row.querySelector('.opener')!.setAttribute('aria-expanded', 'true')
  await fillDetails(row.dataset.number!, body)
}

const closeDetails = (row: PageElement): void => {
  detailsRowOf(row)?.remove()
  row.querySelector('.opener')!.setAttribute('aria-expanded', 'false')
}

/** Fits the timelines to the width of the page. */
const redraw = (): void => {
  for (const body of document.querySelectorAll('tr.details')) {
    const row = [...document.querySelectorAll('tr.episode')].find(
      (candidate) => candidate.nextElementSibling === body,
    )
    const story = unpackedDetails.get(row?.dataset.number ?? '')?.story
    const frame = body.querySelector('.chart .scroll')
    if (story !== undefined && frame !== null)
      frame.innerHTML = timeline(story, Math.max(MIN_WIDTH, frame.clientWidth)).text
  }
}

const openLinked = async (): Promise<void> => {
  const number = /^#episode-(\d+)$/.exec(page.location.hash)?.[1]
  const row = number === undefined ? null : rowOf(String(Number(number) - 1))
  if (row === null) return
  row.hidden = false
  await openDetails(row)
  row.querySelector('.opener')!.focus({ preventScroll: true })
  row.scrollIntoView({ block: 'start' })
}

export const openEpisodes = (table: PageElement): void => {
  table.addEventListener('click', ({ target }) => {
    const row = target.closest('tr.episode')
    if (row === null) return
    if (detailsRowOf(row) === undefined) void openDetails(row)
    else closeDetails(row)
  })
  page.addEventListener('hashchange', () => void openLinked())
  page.addEventListener('resize', redraw)
  void openLinked()
}
