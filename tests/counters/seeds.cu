// The program that seeds.csv beside this file was measured with, as it was compiled then: do not change it.
// clang-format off
// The seed documents' kernels as written there, timed and profiled as they stand: the "before" of every goal.
// Build: nvcc -O3 -arch=sm_90 -lineinfo seeds.cu -o seeds     Run: ./seeds (times) or ./seeds ncu (small, each kernel twice)
// With cuBLAS rows: add -DWITH_CUBLAS -lcublas
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
#ifdef WITH_CUBLAS
#include <cublas_v2.h>
#endif
#define CK(x) do { cudaError_t e_=(x); if(e_!=cudaSuccess){printf("%s:%d %s\n",__FILE__,__LINE__,cudaGetErrorString(e_)); exit(1);} } while(0)

__global__ void readOffset(float*A,float*B,float*C,const int n,int offset){unsigned i=blockIdx.x*blockDim.x+threadIdx.x;unsigned k=i+offset;if(k<n)C[i]=A[k]+B[k];}
__global__ void readOffsetLdg(const float*__restrict__ A,const float*__restrict__ B,float*__restrict__ C,const int n,int offset){unsigned i=blockIdx.x*blockDim.x+threadIdx.x;unsigned k=i+offset;if(k<n)C[i]=A[k]+B[k];}
__global__ void writeOffset(float*A,float*B,float*C,const int n,int offset){unsigned i=blockIdx.x*blockDim.x+threadIdx.x;unsigned k=i+offset;if(k<n)C[k]=A[i]+B[i];}
__global__ void readOffsetUnroll4(float*A,float*B,float*C,const int n,int offset){unsigned i=blockIdx.x*blockDim.x*4+threadIdx.x;unsigned k=i+offset;
 if(k+3*blockDim.x<n){C[i]=A[k]+B[k];C[i+blockDim.x]=A[k+blockDim.x]+B[k+blockDim.x];C[i+2*blockDim.x]=A[k+2*blockDim.x]+B[k+2*blockDim.x];C[i+3*blockDim.x]=A[k+3*blockDim.x]+B[k+3*blockDim.x];}}
struct innerStruct{float x,y;};
__global__ void testInnerStruct(innerStruct*d,innerStruct*r,const int n){unsigned i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){innerStruct t=d[i];t.x+=10.f;t.y+=20.f;r[i]=t;}}
__global__ void testInnerArray(float*dx,float*dy,float*rx,float*ry,const int n){unsigned i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){rx[i]=dx[i]+10.f;ry[i]=dy[i]+20.f;}}
__global__ void add1(float*a,float*b,float*c,int N){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<N)c[i]=a[i]+b[i];}
__global__ void add4(float*a,float*b,float*c,int N){int i=(blockIdx.x*blockDim.x+threadIdx.x)*4;if(i<N){float4 x=*(float4*)(a+i),y=*(float4*)(b+i),z;z.x=x.x+y.x;z.y=x.y+y.y;z.z=x.z+y.z;z.w=x.w+y.w;*(float4*)(c+i)=z;}}
__global__ void naiveRow(float*o,float*in,int nx,int ny){unsigned ix=blockIdx.x*blockDim.x+threadIdx.x,iy=blockIdx.y*blockDim.y+threadIdx.y;if(ix<nx&&iy<ny)o[ix*ny+iy]=in[iy*nx+ix];}
__global__ void naiveCol(float*o,float*in,int nx,int ny){unsigned ix=blockIdx.x*blockDim.x+threadIdx.x,iy=blockIdx.y*blockDim.y+threadIdx.y;if(ix<nx&&iy<ny)o[iy*nx+ix]=in[ix*ny+iy];}
__global__ void copyRow(float*o,float*in,int nx,int ny){unsigned ix=blockIdx.x*blockDim.x+threadIdx.x,iy=blockIdx.y*blockDim.y+threadIdx.y;if(ix<nx&&iy<ny)o[iy*nx+ix]=in[iy*nx+ix];}
__global__ void unroll4Row(float*o,float*in,const int nx,const int ny){unsigned ix=blockIdx.x*blockDim.x*4+threadIdx.x,iy=blockIdx.y*blockDim.y+threadIdx.y;unsigned ti=iy*nx+ix,to=ix*ny+iy;
 if(ix+3*blockDim.x<nx&&iy<ny){o[to]=in[ti];o[to+ny*blockDim.x]=in[ti+blockDim.x];o[to+ny*2*blockDim.x]=in[ti+2*blockDim.x];o[to+ny*3*blockDim.x]=in[ti+3*blockDim.x];}}
__global__ void unroll4Col(float*o,float*in,const int nx,const int ny){unsigned ix=blockIdx.x*blockDim.x*4+threadIdx.x,iy=blockIdx.y*blockDim.y+threadIdx.y;unsigned ti=iy*nx+ix,to=ix*ny+iy;
 if(ix+3*blockDim.x<nx&&iy<ny){o[ti]=in[to];o[ti+blockDim.x]=in[to+ny*blockDim.x];o[ti+2*blockDim.x]=in[to+ny*2*blockDim.x];o[ti+3*blockDim.x]=in[to+ny*3*blockDim.x];}}
template<int PAD> __global__ void smemT(float*o,float*in,int nx,int ny){__shared__ float t[32][32+PAD];int x=blockIdx.x*32+threadIdx.x,y=blockIdx.y*32+threadIdx.y;
 for(int j=0;j<32;j+=8)if(x<nx&&y+j<ny)t[threadIdx.y+j][threadIdx.x]=in[(size_t)(y+j)*nx+x];__syncthreads();
 int X=blockIdx.y*32+threadIdx.x,Y=blockIdx.x*32+threadIdx.y;for(int j=0;j<32;j+=8)if(X<ny&&Y+j<nx)o[(size_t)(Y+j)*ny+X]=t[threadIdx.x][threadIdx.y+j];}
#define BS 32
__global__ void mmShared(int*a,int*b,int*c,int m,int n,int k){__shared__ int ta[BS][BS],tb[BS][BS];int row=blockIdx.y*BS+threadIdx.y,col=blockIdx.x*BS+threadIdx.x,tmp=0;
 for(int s=0;s<=n/BS;++s){int idx=row*n+s*BS+threadIdx.x;ta[threadIdx.y][threadIdx.x]=row<m&&(s*BS+threadIdx.x)<n?a[idx]:0;idx=(s*BS+threadIdx.y)*k+col;tb[threadIdx.y][threadIdx.x]=col<k&&(s*BS+threadIdx.y)<n?b[idx]:0;__syncthreads();
 for(int i=0;i<BS;++i)tmp+=ta[threadIdx.y][i]*tb[i][threadIdx.x];__syncthreads();}if(row<m&&col<k)c[row*k+col]=tmp;}
__global__ void mmRect(int*a,int*b,int*c,int m,int n,int k){__shared__ int ta[BS/2][BS*2],tb[BS*2][BS/2];int row=blockIdx.y*blockDim.y+threadIdx.y,col=blockIdx.x*blockDim.x+threadIdx.x,tmp=0;
 for(int s=0;s<=n/BS/2;++s){for(int q=0;q<4;q++){int cc=s*BS*2+q*BS/2+threadIdx.x;ta[threadIdx.y][threadIdx.x+q*BS/2]=row<m&&cc<n?a[row*n+cc]:0;int rr=s*BS*2+q*BS/2+threadIdx.y;tb[threadIdx.y+q*BS/2][threadIdx.x]=col<k&&rr<n?b[rr*k+col]:0;}__syncthreads();
 for(int i=0;i<BS*2;++i)tmp+=ta[threadIdx.y][i]*tb[i][threadIdx.x];__syncthreads();}if(row<m&&col<k)c[row*k+col]=tmp;}

static cudaEvent_t e0,e1; static char*flush; static const size_t FL=256u<<20;
template<class F> float med(F f,int reps=15){ f();CK(cudaDeviceSynchronize());std::vector<float>t;for(int r=0;r<reps;r++){CK(cudaMemsetAsync(flush,r,FL));CK(cudaEventRecord(e0));f();CK(cudaEventRecord(e1));CK(cudaEventSynchronize(e1));float ms;CK(cudaEventElapsedTime(&ms,e0,e1));t.push_back(ms);}CK(cudaGetLastError());std::sort(t.begin(),t.end());return t[reps/2];}
static void row(const char*n,double bytes,float ms){printf("%-44s %9.4f ms %9.1f GB/s\n",n,ms,bytes/ms*1e-6);}
int main(int ac,char**av){
 bool prof=ac>1;CK(cudaEventCreate(&e0));CK(cudaEventCreate(&e1));CK(cudaMalloc(&flush,FL));
 int mc,bw,l2;cudaDeviceGetAttribute(&mc,cudaDevAttrMemoryClockRate,0);cudaDeviceGetAttribute(&bw,cudaDevAttrGlobalMemoryBusWidth,0);cudaDeviceGetAttribute(&l2,cudaDevAttrL2CacheSize,0);
 printf("mem clock %d kHz bus %d bit L2 %d peak %.1f GB/s\n",mc,bw,l2,2.0*mc*1e3*bw/8*1e-9);
 size_t N=prof?1<<20:256u<<20;float*A,*B,*C;CK(cudaMalloc(&A,N*4+1024));CK(cudaMalloc(&B,N*4+1024));CK(cudaMalloc(&C,N*4+1024));
 {std::vector<float>h(1<<20);for(auto&x:h)x=(rand()&255)/10.f;for(size_t i=0;i+h.size()<=N;i+=h.size()){CK(cudaMemcpy(A+i,h.data(),h.size()*4,cudaMemcpyHostToDevice));CK(cudaMemcpy(B+i,h.data(),h.size()*4,cudaMemcpyHostToDevice));}}
 int offs[3]={0,11,128};
 if(!prof)row("memcpy D2D 1GiB",2.0*N*4,med([&]{CK(cudaMemcpyAsync(C,A,N*4,cudaMemcpyDeviceToDevice));}));
 for(int n1: {1<<20,1<<25,1<<28}){ if((size_t)n1>N)break; for(int o:offs){char s[99];
   sprintf(s,"readOffset n=%d off=%d b=512",n1,o);row(s,3.0*n1*4,med([&]{readOffset<<<n1/512,512>>>(A,B,C,n1,o);},prof?1:15));
   sprintf(s,"readOffsetLdg n=%d off=%d",n1,o);row(s,3.0*n1*4,med([&]{readOffsetLdg<<<n1/512,512>>>(A,B,C,n1,o);},prof?1:15));
   sprintf(s,"writeOffset n=%d off=%d",n1,o);row(s,3.0*n1*4,med([&]{writeOffset<<<n1/512,512>>>(A,B,C,n1,o);},prof?1:15));
   sprintf(s,"readOffsetUnroll4 n=%d off=%d",n1,o);row(s,3.0*n1*4,med([&]{readOffsetUnroll4<<<n1/2048,512>>>(A,B,C,n1,o);},prof?1:15));}
   char s[99];
   sprintf(s,"AoS n=%d",n1/2);row(s,2.0*n1*4,med([&]{testInnerStruct<<<n1/2/128,128>>>((innerStruct*)A,(innerStruct*)C,n1/2);},prof?1:15));
   sprintf(s,"SoA n=%d",n1/2);row(s,2.0*n1*4,med([&]{testInnerArray<<<n1/2/128,128>>>(A,A+n1/2,C,C+n1/2,n1/2);},prof?1:15));
   sprintf(s,"add1 n=%d",n1);row(s,3.0*n1*4,med([&]{add1<<<n1/128,128>>>(A,B,C,n1);},prof?1:15));
   sprintf(s,"add4 (block/4=32) n=%d",n1);row(s,3.0*n1*4,med([&]{add4<<<n1/128,32>>>(A,B,C,n1);},prof?1:15));
   sprintf(s,"add4 (grid/4) n=%d",n1);row(s,3.0*n1*4,med([&]{add4<<<n1/512,128>>>(A,B,C,n1);},prof?1:15));}
#ifdef WITH_CUBLAS
 cublasHandle_t h;cublasCreate(&h);float one=1,zero=0;
#endif
 for(int n1:{1024,2048,8192,16384}){ if((size_t)n1*n1>N)break; double by=2.0*n1*n1*4;char s[99];dim3 b(16,16),g(n1/16,n1/16),g4(n1/64,n1/16),gs(n1/32,n1/32),bs(32,8);
   int R=prof?1:15;
   sprintf(s,"copyRow %d",n1);row(s,by,med([&]{copyRow<<<g,b>>>(C,A,n1,n1);},R));
   sprintf(s,"naiveRow %d",n1);row(s,by,med([&]{naiveRow<<<g,b>>>(C,A,n1,n1);},R));
   sprintf(s,"naiveCol %d",n1);row(s,by,med([&]{naiveCol<<<g,b>>>(C,A,n1,n1);},R));
   sprintf(s,"unroll4Row %d",n1);row(s,by,med([&]{unroll4Row<<<g4,b>>>(C,A,n1,n1);},R));
   sprintf(s,"unroll4Col %d",n1);row(s,by,med([&]{unroll4Col<<<g4,b>>>(C,A,n1,n1);},R));
   sprintf(s,"smem nopad %d",n1);row(s,by,med([&]{smemT<0><<<gs,bs>>>(C,A,n1,n1);},R));
   sprintf(s,"smem pad %d",n1);row(s,by,med([&]{smemT<1><<<gs,bs>>>(C,A,n1,n1);},R));
   if(prof)break;
#ifdef WITH_CUBLAS
   sprintf(s,"cublasSgeam T %d",n1);row(s,by,med([&]{cublasSgeam(h,CUBLAS_OP_T,CUBLAS_OP_N,n1,n1,&one,A,n1,&zero,C,n1,C,n1);}));
#endif
   sprintf(s,"memcpy %d",n1);row(s,by,med([&]{CK(cudaMemcpyAsync(C,A,by/2,cudaMemcpyDeviceToDevice));}));}
#ifdef WITH_CUBLAS
 if(!prof){int r=8191,c=8193;double by=2.0*r*c*4;dim3 gs((c+31)/32,(r+31)/32),bs(32,8);row("smem pad 8191x8193",by,med([&]{smemT<1><<<gs,bs>>>(C,A,c,r);}));row("cublasSgeam 8191x8193",by,med([&]{cublasSgeam(h,CUBLAS_OP_T,CUBLAS_OP_N,r,c,&one,A,c,&zero,C,r,C,r);}));
  cublasHandle_t hh=h;double al=1,ze=0;int n1=8192;row("cublasDgeam 8192",2.0*n1*n1*8,med([&]{cublasDgeam(hh,CUBLAS_OP_T,CUBLAS_OP_N,n1,n1,&al,(double*)A,n1,&ze,(double*)C,n1,(double*)C,n1);}));}
#endif
 int*ia=(int*)A,*ib=(int*)B,*ic=(int*)C;
 {std::vector<int>hi(1<<20);for(auto&x:hi)x=rand();for(size_t i=0;i+hi.size()<=N;i+=hi.size()){CK(cudaMemcpy(ia+i,hi.data(),hi.size()*4,cudaMemcpyHostToDevice));CK(cudaMemcpy(ib+i,hi.data(),hi.size()*4,cudaMemcpyHostToDevice));}}
 struct{int m,n,k;}sz[]={{1600,1007,1600},{4096,4096,4096},{8192,8192,8192}};
 for(auto z:sz){if(prof&&z.m>1600)break;double op=2.0*z.m*z.n*z.k;dim3 b(32,32),g((z.k+31)/32,(z.m+31)/32),b2(16,16),g2((z.k+15)/16,(z.m+15)/16);int R=prof?1:5;
  float t=med([&]{mmShared<<<g,b>>>(ia,ib,ic,z.m,z.n,z.k);},R);printf("int mm shared %dx%dx%d %.3f ms %.2f TOPS\n",z.m,z.n,z.k,t,op/t*1e-9);
  t=med([&]{mmRect<<<g2,b2>>>(ia,ib,ic,z.m,z.n,z.k);},R);printf("int mm rect   %dx%dx%d %.3f ms %.2f TOPS\n",z.m,z.n,z.k,t,op/t*1e-9);}
 return 0;}
