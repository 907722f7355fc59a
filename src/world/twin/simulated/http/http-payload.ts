/** The body of a simulated HTTP message. Its text, bytes and value are computed from each other on first use. */
import { parseText } from '#world/twin/protocols'
import { copyAsJson } from '../wire/copy-as-json.ts'

const isJson = (contentType: string | undefined): boolean => contentType?.includes('json') === true

export class HttpPayload {
  /** The size on the network. */
  readonly bytes: number
  /** The value whose JSON is the body; undefined if the body was given as text or bytes. */
  readonly #value: { readonly json: unknown } | undefined
  #text: string | undefined
  #raw: Buffer | undefined

  private constructor(bytes: number, parts: { json?: unknown; text?: string; raw?: Buffer }) {
    this.bytes = bytes
    this.#value = 'json' in parts ? { json: parts.json } : undefined
    this.#text = parts.text
    this.#raw = parts.raw
  }

  static ofJson(value: unknown): HttpPayload {
    const copy = copyAsJson(value)
    return new HttpPayload(copy.bytes, { json: copy.value })
  }

  static ofText(text: string): HttpPayload {
    return new HttpPayload(Buffer.byteLength(text), { text })
  }

  static ofBytes(raw: Buffer): HttpPayload {
    return new HttpPayload(raw.length, { raw })
  }

  get text(): string {
    this.#text ??= this.#raw === undefined ? JSON.stringify(this.#value!.json) : this.#raw.toString('utf8')
    return this.#text
  }

  get raw(): Buffer {
    this.#raw ??= Buffer.from(this.text)
    return this.#raw
  }

  /** Returns null if the body is empty. Throws a CallFailure with status 400 for malformed JSON. */
  parse(contentType: string | undefined): unknown {
    if (this.#value !== undefined && isJson(contentType)) return this.#value.json
    return this.bytes === 0 ? null : parseText(this.text, contentType)
  }
}

export const EMPTY_PAYLOAD = HttpPayload.ofText('')
