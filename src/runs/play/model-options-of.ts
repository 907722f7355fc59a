/** What a run says of how its models are spoken to, paid and recorded. */
import { type KeptOptions, parsePrice } from '../../models/index.ts'
import type { RunSettings } from '../../spec/index.ts'

/** Throws where the price is none. */
export const modelOptionsOf = ({ baseUrl, addresses, tools, price, recordTo }: RunSettings): KeptOptions => ({
  ...(baseUrl === undefined ? {} : { baseUrl }),
  ...(addresses === undefined ? {} : { addresses }),
  ...(tools === undefined ? {} : { tools }),
  ...(price === undefined ? {} : { price: parsePrice(price) }),
  ...(recordTo === undefined ? {} : { record: recordTo }),
})
