/** The shape of what a container asks for and may have. */
import { z } from 'zod'
import { quantityValue } from '../spec/index.ts'

/** As it is written: `100m`, `64Mi`, 1. */
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
    for (const [name, wanted] of Object.entries(requests)) {
      const most = limits[name as keyof typeof limits]
      if (most === undefined || (quantityValue(wanted) ?? 0) <= (quantityValue(most) ?? 0)) continue
      context.addIssue({
        code: 'custom',
        path: ['requests', name],
        message: `is ${wanted}, which is above the limit, ${most}`,
      })
    }
  })
