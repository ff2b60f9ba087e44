import { chromium } from 'playwright-core'; import { serve } from './server.mjs';
const {server,root}=await serve('/work/wt/play/web/dist');
const b=await chromium.launch({executablePath:'/usr/bin/chromium',args:['--no-sandbox']});
const out='/tmp/webplay/shots/';
const cells=[['67','sixty-seven',['left','up','right','down','left','up','right','down','left','up','left','down']],['67big','sixty-seven size=16x16 tiles_per_turn=6',['left','up','right','down','left','up','right','down','left','up','left','down']],['2048','twenty-forty-eight',['left','down','left','down']],['calc','calculator level=100',[]],['offset','offset',[]],['zero','zero-sum',[]]];
for (const [n,opt] of [['desk',{viewport:{width:1200,height:850}}],['phone',{viewport:{width:360,height:740},hasTouch:true,isMobile:true,colorScheme:'dark'}]]){
 const c=await b.newContext(opt); const p=await c.newPage();
 p.on('console',m=>m.type()==='error'&&console.log(n,m.text())); p.on('pageerror',e=>console.log(n,e.stack));
 await p.goto(root);
 for(const [k,cell,moves] of cells){
  await p.goto(root+`#play?game=${encodeURIComponent(cell)}&seed=5&index=0&moves=${moves.join(',')}`);
  await p.waitForTimeout(700); await p.screenshot({path:`${out}${n}-${k}.png`,fullPage:true});
 }
 await p.goto(root+'#watch'); await p.waitForTimeout(6000); await p.screenshot({path:`${out}${n}-watch.png`,fullPage:true});
 console.log(n, await p.evaluate(()=>document.documentElement.scrollWidth));
 await p.goto(root+'#play'); await p.keyboard.press('o'); await p.waitForTimeout(300); await p.screenshot({path:`${out}${n}-setup.png`}); await c.close();
}
await b.close(); server.close();
