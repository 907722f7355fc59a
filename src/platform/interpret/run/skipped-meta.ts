/** The actions of meta tasks, and the result of one whose condition does not hold. */
import type { Result } from '../modules/module.ts'

export const META_ACTIONS = new Set(['noop', 'flush_handlers', 'end_play', 'end_host', 'end_batch'])

const CONSEQUENCES: Readonly<Record<string, string>> = {
  flush_handlers: ', not running handlers for HOST',
  end_play: ', continuing play',
  end_batch: ', continuing current batch',
  end_host: ', continuing execution for HOST',
}

export const skippedMeta = (action: string, host: string): Result => ({
  msg:
    action === 'end_host'
      ? `end_host conditional evaluated to false, continuing execution for ${host}`
      : action,
  skip_reason: `${action} conditional evaluated to False${CONSEQUENCES[action]!.replace('HOST', host)}`,
})
