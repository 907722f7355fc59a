/** The API in the hands of a solver: what he may do with it ends with his time, whether he does or not. */
import type { KubeApi } from '../spec/index.ts'

/** From the signal on every call is refused with its reason, and watches are ended. */
export const lendApi = (api: KubeApi, signal: AbortSignal): KubeApi => {
  const watch: KubeApi['watch'] = async (...asked) => {
    const end = await api.watch(...asked)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
    return end
  }
  return new Proxy(api, {
    get(target, name) {
      const called = name === 'watch' ? watch : Reflect.get(target, name)
      if (typeof called !== 'function') return called
      return async (...asked: unknown[]) => {
        signal.throwIfAborted()
        return Reflect.apply(called, target, asked)
      }
    },
  })
}
