/** A revocable API: rejects calls once the budget of the solver is spent. */
import type { KubeApi } from '#spec'

/** When the signal aborts, calls reject with its reason and watches end. */
export const createRevocableApi = (api: KubeApi, signal: AbortSignal): KubeApi => {
  const watch: KubeApi['watch'] = async (...args) => {
    const end = await api.watch(...args)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
    return end
  }
  return new Proxy(api, {
    get(target, name) {
      const member = name === 'watch' ? watch : Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        signal.throwIfAborted()
        return Reflect.apply(member, target, args)
      }
    },
  })
}
