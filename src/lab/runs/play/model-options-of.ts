/** Derives the options of models from the settings of a run: addresses, tool calls, prices, recording. */
import { type CachedModelOptions, parsePrice } from '#examinee/models'
import { defined } from '#kit'
import type { RunSettings } from '#spec'

/** Throws if the price is invalid. */
export const modelOptionsOf = ({
  baseUrl,
  addresses,
  tools,
  price,
  recordTo,
}: RunSettings): CachedModelOptions =>
  defined({
    baseUrl,
    addresses,
    tools,
    price: price === undefined ? undefined : parsePrice(price),
    record: recordTo,
  })
