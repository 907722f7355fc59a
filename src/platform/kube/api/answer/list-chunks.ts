/** Encodes a list in chunks that are small enough not to block the event loop. */
import type { KubeObject } from '#platform/kube/meta'
import type { ListForm } from './encode.ts'
import { type Rendering, renderJson } from './respond.ts'

/** A chunk ends at either limit; the last object may exceed `characters`. */
interface ChunkSize {
  objects: number
  characters: number
}

const PLAIN_SIZE: ChunkSize = { objects: 500, characters: 256 * 1024 }
/** Smaller, because rendering parses and formats the JSON again. */
const RENDERED_SIZE: ChunkSize = { objects: 50, characters: 32 * 1024 }

/** Yields the JSON of successive items, joined by commas. */
function* batchesOf(form: ListForm, items: readonly KubeObject[], size: ChunkSize): Generator<string> {
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

/** The text before, between and after the rendered items. */
interface Frame {
  before: string
  between: string
  after: string
}

const PRETTY: Frame = { before: '{\n  "items": [\n', between: ',\n', after: '\n  ]\n}' }
const YAML: Frame = { before: 'items:\n', between: '', after: '' }

/** Both forms render a trailing empty list as four characters (`[]\n}` and ` []\n`), which the items replace. */
const EMPTY_LIST_CHARACTERS = 4

function* renderedChunks(
  form: ListForm,
  items: readonly KubeObject[],
  rendering: Rendering,
): Generator<string> {
  const { before, between, after } = rendering.yaml ? YAML : PRETTY
  yield renderJson(form.head + form.tail, rendering).slice(0, -EMPTY_LIST_CHARACTERS) +
    (rendering.yaml ? '\n' : '[\n')
  let isFirst = true
  for (const batch of batchesOf(form, items, RENDERED_SIZE)) {
    const text = renderJson(`{"items":[${batch}]}`, rendering)
    yield (isFirst ? '' : between) + text.slice(before.length, text.length - after.length)
    isFirst = false
  }
  yield after
}

/** Yields the encoded list in chunks. The list must not be empty. */
export function* listChunks(
  form: ListForm,
  items: readonly KubeObject[],
  rendering: Rendering,
): Generator<string> {
  if (rendering.yaml || rendering.pretty) {
    yield* renderedChunks(form, items, rendering)
    return
  }
  let before = form.head
  for (const batch of batchesOf(form, items, PLAIN_SIZE)) {
    yield before + batch
    before = ','
  }
  yield form.tail
}
