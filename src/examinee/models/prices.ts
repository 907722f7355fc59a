/** Prices of tokens: the list in prices.json, and prices given by the operator. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined, lazily } from '#kit'
import { RemediumError, type TokenUsage } from '#spec'

/** US dollars per million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  /** For input tokens from the provider's cache. The price of other input by default. */
  readonly cachedInput?: number
}

interface ListedPrice extends Price {
  readonly model: string
}

const readPriceList = lazily(
  () =>
    JSON.parse(readFileSync(join(import.meta.dirname, 'prices.json'), 'utf8'))
      .prices as readonly ListedPrice[],
)

const matches = (pattern: string, model: string): boolean =>
  pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern

/** Returns the listed price of `provider:name`, if there is one. */
export const findPrice = (model: string): Price | undefined =>
  readPriceList().find((price) => matches(price.model, model))

export const costOf = (price: Price, usage: TokenUsage): number => {
  const cached = Math.min(usage.input, usage.cachedInput ?? 0)
  const fresh = usage.input - cached
  const microdollars =
    fresh * price.input + cached * (price.cachedInput ?? price.input) + usage.output * price.output
  return microdollars / 1e6
}

/** Parses `INPUT,OUTPUT` or `INPUT,OUTPUT,CACHED`, in US dollars per million tokens. */
export const parsePrice = (text: string): Price => {
  const [input, output, cachedInput, ...excess] = text.split(',').map((part) => {
    const value = part.trim() === '' ? Number.NaN : Number(part)
    return Number.isFinite(value) && value >= 0 ? value : undefined
  })
  const isCachedInvalid = cachedInput === undefined && text.split(',').length > 2
  if (input === undefined || output === undefined || isCachedInvalid || excess.length > 0) {
    throw new RemediumError('bad-argument', `"${text}" is not a valid price.`, {
      hint: 'Pass US dollars per million tokens as INPUT,OUTPUT or INPUT,OUTPUT,CACHED, such as 0.25,2.',
    })
  }
  return { input, output, ...defined({ cachedInput }) }
}
