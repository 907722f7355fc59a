/** The entry point of the script that is bundled into the page. */
import { arrangeEpisodes } from './arrange-episodes.ts'
import { openEpisodes } from './open-episodes.ts'
import { page } from './page-types.ts'

const table = page.document.querySelector('table.episodes')
const form = page.document.querySelector('form.filters')
if (table !== null && form !== null) {
  arrangeEpisodes(table, form)
  openEpisodes(table)
}
