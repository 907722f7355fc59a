/** Names in the input of actions: no object, service or metric has a longer one. */
import { z } from 'zod'

export const nameText = z.string().max(300)
