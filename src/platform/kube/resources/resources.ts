/** Assembles the resource layer: store, kinds, admission, clients and event recorders. */
import type { Service } from 'kubernetes-types/core/v1.d.ts'
import { type Clock, defined, type Random } from '#kit'
import { builtInKinds, type Kind, services } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import {
  type AdmissionPlugin,
  type Client,
  type EventRecorder,
  systemAccount,
  type User,
} from '#platform/kube/ports'
import { createStore, type StoreOptions } from '#platform/kube/store'
import type { Core } from './core.ts'
import { createClient } from './create-client.ts'
import { createEventRecorder } from './events/event-recorder.ts'
import { createEventSuffixes } from './events/event-suffixes.ts'
import { createSeriesRecorder } from './events/series-recorder.ts'
import { createKindDirectory } from './kind-directory.ts'
import { createServiceAddresses } from './service-addresses.ts'

export interface ResourcesOptions {
  clock: Clock
  random: Random
  admission?: readonly AdmissionPlugin[]
  store?: StoreOptions
  kinds?: readonly Kind[]
  /** Receives errors of watchers; the write and other watchers are not affected. */
  onError?(error: unknown): void
}

export interface Resources extends Core {
  /** Returns a client that acts as `user`; `manager` is the field manager of its writes. */
  clientFor(user: User, manager: string): Client
  /** Returns an event recorder for a component; `host` is the component's node. */
  recorderFor(component: string, host?: string): EventRecorder
  /** Returns a recorder of event series in the events.k8s.io style, for the scheduler. */
  seriesRecorderFor(component: string): EventRecorder
}

export const createResources = (options: ResourcesOptions): Resources => {
  const { clock, random } = options
  const store = createStore({
    clock,
    ...options.store,
    ...defined({ onError: options.onError }),
  })
  const addresses = createServiceAddresses(random)
  store.watch(services.id, ({ type, object, old }) =>
    addresses.updateReservations(
      type === 'DELETED' ? undefined : (object as Stored<Service>),
      old as Stored<Service> | undefined,
    ),
  )
  const directory = createKindDirectory(options.kinds ?? builtInKinds)
  directory.watch(() => store.retain(new Set(directory.all().map(({ id }) => id))))
  const core: Core = {
    store,
    directory,
    clock,
    random,
    admission: options.admission ?? [],
    addresses,
    get client() {
      return trusted
    },
  }
  const clientFor = (user: User, manager: string): Client => createClient(core, { user, manager })
  const trusted = clientFor({ username: 'system:apiserver', groups: ['system:masters'] }, 'kube-apiserver')

  const uniqueSuffix = createEventSuffixes(clock)
  return {
    ...core,
    client: trusted,
    clientFor,
    recorderFor: (component, host) =>
      createEventRecorder({
        client: clientFor(systemAccount(component), component),
        clock,
        component,
        ...defined({ host }),
        uniqueSuffix,
      }),
    seriesRecorderFor: (component) =>
      createSeriesRecorder({
        client: clientFor(systemAccount(component), component),
        clock,
        component,
        uniqueSuffix,
      }),
  }
}
