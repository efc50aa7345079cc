/** `delayProxy.ts` in a process of its own, for `npm run lab -- machines`: it must not wait for a trainer. Told over Node's channel what to be; answers each message with the bytes so far. */
import { startDelayProxy, type Network } from './delayProxy.ts';

export default (): Promise<number> =>
  new Promise((resolve) => {
    process.once('disconnect', () => resolve(0));
    process.once('message', ({ port, network }: { readonly port: number; readonly network: Network }) => {
      void startDelayProxy(port, network).then((proxy) => {
        process.on('message', () => process.send?.({ bytes: proxy.bytes }));
        process.once('disconnect', () => void proxy.close());
        process.send?.({ port: proxy.port });
      });
    });
  });
