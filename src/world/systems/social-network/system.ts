/** Social Network of DeathStarBench: posts and timelines, with eleven services that speak Thrift. */
import { defineTwinSystem } from '#world/topology'

export const system = defineTwinSystem(import.meta.dirname)
