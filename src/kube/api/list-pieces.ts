/** The text of a list, in pieces small enough that making one holds nobody up. */
import type { KubeObject } from '../meta/index.ts'
import type { ListForm } from './encode.ts'
import { type Rendering, rendered } from './respond.ts'

/** At most so many objects, and not many more characters of JSON. */
interface PieceSize {
  objects: number
  characters: number
}

const PLAIN_SIZE: PieceSize = { objects: 500, characters: 256 * 1024 }
/** Parsing and laying out costs many times what joining does. */
const RENDERED_SIZE: PieceSize = { objects: 50, characters: 32 * 1024 }

/** JSON texts of successive items, with commas between them. */
function* batches(form: ListForm, items: readonly KubeObject[], size: PieceSize): Generator<string> {
  let [texts, length]: [string[], number] = [[], 0]
  for (const object of items) {
    const text = form.item(object, false)
    texts.push(text)
    length += text.length
    if (texts.length < size.objects && length < size.characters) continue
    yield texts.join(',')
    ;[texts, length] = [[], 0]
  }
  if (texts.length > 0) yield texts.join(',')
}

/** What stands before, between and after the items of a rendered list that is the last member of its object. */
interface Frame {
  before: string
  between: string
  after: string
}

const PRETTY: Frame = { before: '{\n  "items": [\n', between: ',\n', after: '\n  ]\n}' }
const YAML: Frame = { before: 'items:\n', between: '', after: '' }

/** Both forms end an object whose last list is empty with four characters that give way to its items. */
const EMPTY_ENDING = 4

function* renderedPieces(
  form: ListForm,
  items: readonly KubeObject[],
  rendering: Rendering,
): Generator<string> {
  const { before, between, after } = rendering.yaml ? YAML : PRETTY
  yield rendered(form.head + form.tail, rendering).slice(0, -EMPTY_ENDING) + (rendering.yaml ? '\n' : '[\n')
  let isFirst = true
  for (const batch of batches(form, items, RENDERED_SIZE)) {
    const text = rendered(`{"items":[${batch}]}`, rendering)
    yield (isFirst ? '' : between) + text.slice(before.length, text.length - after.length)
    isFirst = false
  }
  yield after
}

/** Of a list that is not empty. */
export function* listPieces(
  form: ListForm,
  items: readonly KubeObject[],
  rendering: Rendering,
): Generator<string> {
  if (rendering.yaml || rendering.pretty) {
    yield* renderedPieces(form, items, rendering)
    return
  }
  let before = form.head
  for (const batch of batches(form, items, PLAIN_SIZE)) {
    yield before + batch
    before = ','
  }
  yield form.tail
}
