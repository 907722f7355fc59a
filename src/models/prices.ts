/** What tokens cost: a list by model, and the operator's own figures before it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lazily } from '../kit/index.ts'
import { RemediumError, type TokenUsage } from '../spec/index.ts'

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Of input that the provider had in its cache; as other input where absent. */
  readonly cachedInput?: number
}

interface ListedPrice extends Price {
  readonly model: string
}

const listed = lazily(
  () =>
    JSON.parse(readFileSync(join(import.meta.dirname, 'prices.json'), 'utf8'))
      .prices as readonly ListedPrice[],
)

const fits = (pattern: string, model: string): boolean =>
  pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern

/** Of `provider:name`; nothing where nobody has written it down. */
export const findPrice = (model: string): Price | undefined => listed().find((one) => fits(one.model, model))

export const costOf = (price: Price, usage: TokenUsage): number => {
  const cached = Math.min(usage.input, usage.cachedInput ?? 0)
  const fresh = usage.input - cached
  const microdollars =
    fresh * price.input + cached * (price.cachedInput ?? price.input) + usage.output * price.output
  return microdollars / 1e6
}

/** `--price in,out` or `in,out,cached`, for a million tokens each. */
export const parsePrice = (text: string): Price => {
  const [input, output, cachedInput, ...more] = text.split(',').map((part) => {
    const value = part.trim() === '' ? Number.NaN : Number(part)
    return Number.isFinite(value) && value >= 0 ? value : undefined
  })
  const isCachedWrong = cachedInput === undefined && text.split(',').length > 2
  if (input === undefined || output === undefined || isCachedWrong || more.length > 0) {
    throw new RemediumError('bad-argument', `"${text}" is no price.`, {
      hint: 'Give US dollars for a million tokens as INPUT,OUTPUT or INPUT,OUTPUT,CACHED, such as 0.25,2.',
    })
  }
  return { input, output, ...(cachedInput === undefined ? {} : { cachedInput }) }
}
