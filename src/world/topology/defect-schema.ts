/** The schema of the defects of a bad release. */
import { z } from 'zod'

export const defect = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('hot-loop') }),
  z.strictObject({
    kind: z.literal('leak'),
    kibPerRequest: z.number().positive().optional(),
    kibPerSecond: z.number().positive().optional(),
  }),
  z.strictObject({ kind: z.literal('crash') }),
  z.strictObject({ kind: z.literal('slow'), ms: z.number().positive().optional() }),
  z.strictObject({ kind: z.literal('wrong-port') }),
  z.strictObject({ kind: z.literal('failing-endpoint'), endpoint: z.string().optional() }),
])
