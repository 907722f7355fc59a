/** The schema of ports: numbers and names. */
import { z } from 'zod'

export const port = z.int().min(1).max(65_535)

const PORT_NAME = /^(?=.*[a-z])[a-z0-9](?:[a-z0-9-]{0,13}[a-z0-9])?$/
const isPortOrName = (value: unknown): boolean =>
  typeof value === 'string' ? PORT_NAME.test(value) : port.safeParse(value).success

/** A number, or the name of a container port. */
export const portOrName = z.custom<string | number>(isPortOrName, {
  error: 'must be a port, 1 to 65535, or the name of one',
})
const portName = z.string().regex(PORT_NAME, {
  error:
    'must have at most 15 lower-case letters, digits and -, at least one letter, and no - at the start or end',
})

export const containerPort = z.strictObject({
  containerPort: port,
  name: portName.optional(),
  protocol: z.enum(['TCP', 'UDP', 'SCTP']).optional(),
  hostPort: port.optional(),
  hostIP: z.string().optional(),
})
