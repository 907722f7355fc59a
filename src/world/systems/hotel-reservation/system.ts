/** Hotel Reservation of DeathStarBench: eight services on Consul, memcached and MongoDB. */
import { defineTwinSystem } from '#world/topology'

export const system = defineTwinSystem(import.meta.dirname)
