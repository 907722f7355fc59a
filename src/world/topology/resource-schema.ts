/** The schema of resource requests and limits. */
import { z } from 'zod'
import { quantityValue } from '#spec'

/** `100m`, `64Mi`, 1 */
export const quantity = z.custom<string | number>((value) => quantityValue(value) !== undefined, {
  error: ({ input }) =>
    `must be a quantity of at least 0, such as 100m or 64Mi, not ${JSON.stringify(input ?? null)}`,
})

const amounts = z.strictObject({
  cpu: quantity.optional(),
  memory: quantity.optional(),
  'ephemeral-storage': quantity.optional(),
})

export const resources = z
  .strictObject({ requests: amounts.optional(), limits: amounts.optional() })
  .superRefine(({ requests = {}, limits = {} }, context) => {
    for (const [name, request] of Object.entries(requests)) {
      const limit = limits[name as keyof typeof limits]
      if (limit === undefined || (quantityValue(request) ?? 0) <= (quantityValue(limit) ?? 0)) continue
      context.addIssue({
        code: 'custom',
        path: ['requests', name],
        message: `is ${request}, which exceeds the limit of ${limit}`,
      })
    }
  })
