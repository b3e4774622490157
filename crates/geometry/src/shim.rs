//! TEMPORARY stand-in for what the level-set crate will bring.
use granule_levelset::LevelSet;
use granule_model::DVec3;
#[derive(Clone,Copy,Debug)]
pub(crate) struct Node { pub(crate) point: DVec3, pub(crate) normal: DVec3, pub(crate) sharp: bool }
pub(crate) fn surface_nodes(v:&[DVec3], t:&[[u32;3]], count:usize)->Vec<Node>{
    let mut cand: Vec<Node>=vec![];
    let mut area=0.0; for c in t {let [a,b,d]=c.map(|i|v[i as usize]); area+=0.5*(b-a).cross(d-a).length();}
    let h=(area/(count as f64)/12.0).sqrt();
    for c in t { let [a,b,d]=c.map(|i|v[i as usize]); let n=(b-a).cross(d-a).normalize();
        let m=((b-a).length().max((d-a).length())/h).ceil() as usize;
        for i in 0..=m { for j in 0..=m-i { let (x,y)=(i as f64/m as f64,j as f64/m as f64); cand.push(Node{point:a+x*(b-a)+y*(d-a),normal:n,sharp:false}); } } }
    let box8 = v.len()==8;
    let mut out=vec![]; let mut dist=vec![f64::INFINITY;cand.len()];
    if box8 { for p in v { out.push(Node{point:*p,normal:p.normalize(),sharp:true}); } }
    for o in &out { for (k,c) in cand.iter().enumerate(){ dist[k]=dist[k].min((c.point-o.point).length_squared()); } }
    while out.len()<count { let k=(0..cand.len()).fold(0,|b,k| if dist[k]>dist[b]{k}else{b}); let mut n=cand[k];
        if box8 { let on=(0..3).filter(|&x| (n.point[x].abs()-v[7][x].abs()).abs()<1e-9).count(); n.sharp=on>=2; }
        out.push(n); for (k,c) in cand.iter().enumerate(){ dist[k]=dist[k].min((c.point-n.point).length_squared()); } }
    out
}
pub(crate) fn project(l:&LevelSet,p:DVec3)->Option<DVec3>{ let mut p=p; for _ in 0..6 { let s=l.smooth(p)?; p-=s.value*s.gradient/s.gradient.length_squared(); } Some(p) }
