/** The schema of names in the input of actions. No object, service or metric has a name longer than 300 characters. */
import { z } from 'zod'

export const nameText = z.string().max(300)
