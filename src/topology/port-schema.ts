/** The shape of ports: numbers, and names that stand for them. */
import { z } from 'zod'

export const port = z.int().min(1).max(65_535)

const NAME = /^(?=.*[a-z])[a-z0-9](?:[a-z0-9-]{0,13}[a-z0-9])?$/
const isPort = (value: unknown): boolean =>
  typeof value === 'string' ? NAME.test(value) : port.safeParse(value).success

/** Either a number or the name that a container gives to one. */
export const portOrName = z.custom<string | number>(isPort, {
  error: 'must be a port, 1 to 65535, or the name of one',
})
const portName = z.string().regex(NAME, { error: 'must have small letters, digits and - only, at most 15' })

export const containerPort = z.strictObject({
  containerPort: port,
  name: portName.optional(),
  protocol: z.enum(['TCP', 'UDP', 'SCTP']).optional(),
  hostPort: port.optional(),
  hostIP: z.string().optional(),
})
