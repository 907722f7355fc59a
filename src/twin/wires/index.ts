/** Wires between services, peers: each serves requests and makes calls. What a wire needs is loaded when it is used. */
export { createGrpcClient } from './grpc/create-grpc-client.ts'
export { startGrpcServer } from './grpc/start-grpc-server.ts'
